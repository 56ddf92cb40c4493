/// What people, or the time, do to the job of a world, at any moment.
enum Operation: String, CaseIterable, Sendable {
  /// The job is cancelled.
  case cancel
  /// The waiting job is to be released in another way, with another priority.
  case rerank
  /// The waiting job is to end if nobody has started it.
  case startBy
}
