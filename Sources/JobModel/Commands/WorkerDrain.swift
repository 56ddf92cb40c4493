/// A worker that was ordered to drain: it takes no further job, finishes those that it has, and ends.
public struct WorkerDrain: Hashable, Sendable, Identifiable {
  /// The worker's id.
  public var id: WorkerID
  /// The worker's name.
  public var name: String
  /// Whether the order is new: false when the worker was ordered to drain before, or said already that it drains.
  public var isNew: Bool
  /// Whether the worker has been told: the coordinator hears it, and has sent it the order. False: the worker is silent. The
  /// coordinator keeps the order in its ledger, and tells the worker when it hears the worker again.
  public var isTold: Bool
  /// Whether the worker says already that it drains.
  public var isDraining: Bool
  /// How many jobs the worker said last that it runs.
  public var running: Int
  private var lastSeenMs: Int64

  package init(
    id: WorkerID, name: String, isNew: Bool, isTold: Bool, isDraining: Bool, running: Int, lastSeenMs: Int64
  ) {
    self.id = id
    self.name = name
    self.isNew = isNew
    self.isTold = isTold
    self.isDraining = isDraining
    self.running = running
    self.lastSeenMs = lastSeenMs
  }

  /// How long ago the worker was last heard.
  public var silence: Duration { .milliseconds(lastSeenMs) }
}

extension WorkerDrain: Codable {
  enum CodingKeys: String, CodingKey {
    case id, name, running
    case isNew = "changed"
    case isTold = "told"
    case isDraining = "draining"
    case lastSeenMs = "last_seen_ms"
  }
}
