import JobModel

/// The tellers of one worker: permits, counted by department. Each release in the worker's hands (claimed, running, or
/// with its report under way) holds one.
///
/// On one connection the prefetch sees to it that nothing is delivered without a free teller. After a reconnect the
/// broker knows nothing of the tellers that are still busy: what it then delivers too much waits here, un-acked.
struct Tellers: Sendable {
  /// A delivery that no teller is free for.
  struct Waiting: Hashable, Sendable {
    var assignment: Assignment
    var department: Department
    var tag: UInt64
  }

  private struct Desk {
    let tellers: Int
    var busy = 0
    var waiting: [Waiting] = []
  }

  private var desks: [Department: Desk]

  init(_ tellers: [Department: Int]) {
    desks = tellers.mapValues { Desk(tellers: $0) }
  }

  var departments: [Department] { desks.keys.sorted() }
  var hasWaiting: Bool { desks.values.contains { !$0.waiting.isEmpty } }

  /// Tellers by department.
  var counts: [Department: Int] { desks.mapValues(\.tellers) }

  /// Takes a teller, if one is free.
  mutating func take(in department: Department) -> Bool {
    guard let desk = desks[department], desk.busy < desk.tellers else { return false }
    desks[department]?.busy += 1
    return true
  }

  /// A teller is free again.
  mutating func free(in department: Department) {
    guard let desk = desks[department], desk.busy > 0 else { return }
    desks[department]?.busy -= 1
  }

  mutating func wait(_ delivery: Waiting) {
    desks[delivery.department]?.waiting.append(delivery)
  }

  /// The first delivery that waits in a department where a teller is free. The teller is not taken yet.
  mutating func nextToServe(in department: Department) -> Waiting? {
    guard let desk = desks[department], desk.busy < desk.tellers, !desk.waiting.isEmpty else { return nil }
    return desks[department]?.waiting.removeFirst()
  }

  /// Forgets what waits, and returns its tags.
  mutating func dismissWaiting() -> [UInt64] {
    let tags = desks.values.flatMap { $0.waiting.map(\.tag) }
    for department in desks.keys { desks[department]?.waiting = [] }
    return tags
  }
}
