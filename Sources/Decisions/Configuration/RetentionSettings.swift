/// How long ended jobs are kept, with their attempts and notifications. Of two limits the first to be reached counts.
package struct RetentionSettings: Sendable, Hashable {
  /// How long after its end a job is kept; nil: the time does not count.
  package var time: Duration?
  /// How many bytes may be kept; nil: the size does not count.
  package var size: Int64?

  /// The given limits; with neither, jobs are kept for seven days.
  package init(time: Duration? = nil, size: Int64? = nil) {
    self.time = time
    self.size = size
  }
}
