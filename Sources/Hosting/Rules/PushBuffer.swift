import DequeModule
package import JobModel

/// The pushes that a receiver has and that nobody has taken yet: which one is tried next, and when. A pure value.
///
/// The oldest push that is due is the next one. A push that waits for its next try does not hold up those behind it. In
/// the last round each push is due, once.
package struct PushBuffer: Sendable {
  /// What is to be tried.
  package enum Next: Hashable, Sendable {
    /// This push, now. It is in hand until it is removed, or has failed.
    case push(Push)
    /// The first of those that wait, then.
    case pause(until: ContinuousClock.Instant)
    /// None: all are in hand; in the last round, or were.
    case nothing
  }

  private struct Held: Sendable {
    let push: Push
    var tries = 0
    /// When it is tried again; nil: now.
    var due: ContinuousClock.Instant?
    var isInHand = false
    /// It has had its try of the last round.
    var isDone = false
  }

  private let limits: PushLimits
  private var held: Deque<Held> = []
  private var ids: Set<JobID> = []
  private var bytes = 0
  private var isLastRound = false

  package init(_ limits: PushLimits = PushLimits()) { self.limits = limits }

  package var isEmpty: Bool { held.isEmpty }
  package var count: Int { held.count }
  /// The oldest first.
  package var pushes: [Push] { held.map(\.push) }
  package var hasRoom: Bool { held.count < limits.room && bytes < limits.bytes }

  /// Holds a push, if there is room. One with the id of a push that is held already is that push.
  ///
  /// - Returns: Whether the push is held.
  package mutating func take(_ push: Push) -> Bool {
    if !ids.contains(push.id) {
      guard hasRoom else { return false }
      hold(push)
    }
    return true
  }

  /// Holds a push in any case: it cannot be given back.
  package mutating func hold(_ push: Push) {
    guard ids.insert(push.id).inserted else { return }
    held.append(Held(push: push))
    bytes += push.payload.count
  }

  /// The next push, which is in hand from now on.
  package mutating func next(at now: ContinuousClock.Instant) -> Next {
    var first: ContinuousClock.Instant?
    for index in held.indices where !held[index].isInHand && !held[index].isDone {
      if !isLastRound, let due = held[index].due, due > now {
        first = min(first ?? due, due)
        continue
      }
      (held[index].isInHand, held[index].isDone) = (true, isLastRound)
      return .push(held[index].push)
    }
    return first.map { .pause(until: $0) } ?? .nothing
  }

  /// Notes that a try has failed: the push waits for the next one.
  ///
  /// - Returns: How often it was tried; nil: it is not held any more.
  package mutating func fail(_ id: JobID, at now: ContinuousClock.Instant) -> Int? {
    guard let index = index(of: id) else { return nil }
    held[index].isInHand = false
    held[index].tries += 1
    held[index].due = now + limits.pause(after: held[index].tries)
    return held[index].tries
  }

  /// Lets go of a push.
  ///
  /// - Returns: Whether it was held.
  package mutating func remove(_ id: JobID) -> Bool {
    guard let index = index(of: id) else { return false }
    bytes -= held.remove(at: index).push.payload.count
    ids.remove(id)
    return true
  }

  /// Has every push tried again now: what kept it may be gone.
  package mutating func retry() {
    for index in held.indices { held[index].due = nil }
  }

  /// From now on each push has one try. One that is in hand has another one if that fails.
  package mutating func beginLastRound() { isLastRound = true }

  private func index(of id: JobID) -> Int? {
    ids.contains(id) ? held.firstIndex { $0.push.id == id } : nil
  }
}
