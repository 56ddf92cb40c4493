/// Where a plan of a name stands. A later version may have words that are none of these.
///
///     notStarted ─▶ running ─▶ open
///                     │  ▲       │
///                     ▼  │       ▼
///                  failed, stopped
public struct PlanPhase: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
  /// The word, as it is written on the wire.
  public let rawValue: String

  /// The phase of a word, whether it is known here or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// No run of the plan has begun.
  public static let notStarted = PlanPhase(rawValue: "not_started")
  /// Steps or events of the run have not ended.
  public static let running = PlanPhase(rawValue: "running")
  /// Every required step has succeeded, and every optional step and every event of the run has ended; the departments
  /// behind the plan's gates are served.
  public static let open = PlanPhase(rawValue: "open")
  /// A required step has failed.
  public static let failed = PlanPhase(rawValue: "failed")
  /// Somebody has stopped the plan, or cancelled a required step, or the handler of a required step has discarded it.
  public static let stopped = PlanPhase(rawValue: "stopped")

  /// The word.
  public var description: String { rawValue }

  /// Whether the plan can be started.
  package var mayStart: Bool { self != .running && self != .open }
}

/// What has become of an event. A later version may have words that are none of these.
public struct EventState: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
  /// The word, as it is written on the wire.
  public let rawValue: String

  /// The state of a word, whether it is known here or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Its plan does not run: the event is kept, and runs as a step of the next run.
  public static let kept = EventState(rawValue: "kept")
  /// It was acted on: there is a job with the event's id.
  public static let acted = EventState(rawValue: "acted")
  /// Its plan is open: the event waits until somebody accepts it.
  public static let announced = EventState(rawValue: "announced")
  /// Somebody has decided that nothing is to be done.
  public static let dismissed = EventState(rawValue: "dismissed")

  /// The word.
  public var description: String { rawValue }
}
