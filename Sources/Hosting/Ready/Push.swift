public import JobModel

/// Something that has come from outside, such as a webhook or a message of another system: an event for a plan.
public struct Push: Hashable, Sendable, Identifiable {
  /// The push's id. The same push must have the same id whenever it comes: by it a push that comes twice is known.
  public var id: JobID
  /// The name of the event.
  public var event: EventName
  /// The bytes for the sink. For a push that is sent to a plan they must be one JSON value, or none: a client refuses
  /// others.
  public var payload: [UInt8]

  /// A push.
  public init(id: JobID, event: EventName, payload: [UInt8] = []) {
    self.id = id
    self.event = event
    self.payload = payload
  }
}
