/// How long ended jobs are kept, with their attempts and notifications. Of two limits the first to be reached counts.
package struct RetentionSettings: Sendable, Hashable {
  /// How long after its end a job is kept; nil: the time does not count.
  package var time: Duration?
  /// How many bytes may be kept; nil: the size does not count.
  package var size: Int64?

  /// How long after a subscriber has last told its place that is kept.
  package var subscribers: Duration

  package static let usualSubscribers: Duration = .seconds(30 * 86_400)
  private static let usualTime: Duration = .seconds(7 * 86_400)

  /// The given limits; with neither time nor size, jobs are kept for seven days.
  package init(time: Duration? = nil, size: Int64? = nil, subscribers: Duration = usualSubscribers) {
    self.time = time
    self.size = size
    self.subscribers = subscribers
  }

  /// The same, where neither time nor size is said with the usual time.
  var complete: RetentionSettings {
    time == nil && size == nil
      ? RetentionSettings(time: RetentionSettings.usualTime, subscribers: subscribers) : self
  }
}
