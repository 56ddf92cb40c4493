/// How far a queue of an earlier version has been read, and when to publish the next mark. A pure value.
///
/// A mark may never come: a policy for the age or the number of messages takes it off the queue like any other message. So
/// another mark follows one that is late. Wherever any of them comes, all that was before it has come.
struct RetiredReading {
  /// What the queue has made of a mark.
  enum Mark {
    /// The message of that id was the last one.
    case end(String)
    /// The queue is full, and takes no mark before some of it is read.
    case full
    /// There is no such queue.
    case gone
  }

  /// How often the queue is read to its present end. A message that was on its way while the new queue was bound is before
  /// the second end.
  private static let rounds = 2

  /// How long a mark may take to come.
  let limit: Duration
  private var round = 1
  /// The marks of this round.
  private var marks: Set<String> = []
  private var nextMark: Duration = .zero
  /// Whether everything is read.
  private(set) var isOver = false

  init(limit: Duration) { self.limit = limit }

  /// Notes that the end was marked.
  mutating func note(_ mark: Mark, at now: Duration) {
    switch mark {
    case .end(let id):
      marks.insert(id)
      nextMark = now + limit
    case .full: nextMark = now
    case .gone: isOver = true
    }
  }

  /// Notes that something was read, or that nothing has come in time. `probes`: the ids of the marks in it, also of others.
  ///
  /// - Returns: Whether to publish a mark now.
  mutating func read(probes: [String], at now: Duration) -> Bool {
    guard !marks.isDisjoint(with: probes) else { return now >= nextMark }
    isOver = round == RetiredReading.rounds
    round += 1
    marks = []
    return !isOver
  }
}
