/// How long ended jobs are kept, with their attempts and notifications. Of two limits the first to be reached counts.
public struct RetentionSettings: Sendable, Hashable {
  /// How long after its end a job is kept; nil: the time does not count.
  public var time: Duration?
  /// How many bytes may be kept; nil: the size does not count.
  public var size: Int64?

  /// The given limits; with neither, jobs are kept for seven days.
  public init(time: Duration? = nil, size: Int64? = nil) {
    self.time = time
    self.size = size
  }
}
