import JobModel

/// The tellers of one worker: permits, by department. Each release in the worker's hands (claimed, running, dropped, or
/// with its report under way) holds one.
///
/// On one connection the prefetch sees to it that nothing is delivered without a free teller. After a reconnect the
/// broker knows nothing of the tellers that are still busy: what it then delivers too much waits here, un-acked.
struct Tellers: Sendable {
  /// A delivery that no teller is free for, or of a consumer that is being cancelled.
  struct Waiting: Hashable, Sendable {
    var assignment: Assignment
    var department: Department
    /// The consumer's tag.
    var consumer: String
    /// The delivery's tag.
    var tag: UInt64
    /// Why it cannot be run; nil: it was read.
    var problem: String?
  }

  private var pools: [Department: DepartmentPool]

  init(_ tellers: [Department: Int]) {
    pools = Dictionary(uniqueKeysWithValues: tellers.map { ($0.key, DepartmentPool($0.key, tellers: $0.value)) })
  }

  var departments: [Department] { pools.keys.sorted() }
  var hasWaiting: Bool { pools.values.contains(where: \.hasWaiting) }
  var hasConsumers: Bool { pools.values.contains(where: \.hasConsumers) }

  /// Tellers by department.
  var counts: [Department: Int] { pools.mapValues(\.tellers) }
  /// How many tellers serve the queues of kinds, by department.
  var beside: [Department: [JobKind: Int]] { pools.mapValues(\.beside).filter { !$0.value.isEmpty } }
  var paused: [Department] { pools.values.filter(\.isPaused).map(\.department).sorted() }

  /// The departments that are to be consumed, and are not.
  var unattended: [Department] { pools.values.filter(\.isUnattended).map(\.department).sorted() }

  /// Where a consumer's deliveries belong; nil when it has ended.
  func department(ofConsumer tag: String) -> Department? {
    pools.values.first { $0.has(tag) }?.department
  }

  /// Whether what a delivery brings may be started.
  func serves(_ delivery: Waiting) -> Bool { pools[delivery.department]?.serves(delivery.consumer) == true }

  /// What the coordinator wants. It is the whole of it: what is not named is as the worker was started.
  ///
  /// Where that is more than a worker may have in all, each department keeps what the worker was started with, as far as
  /// that is wanted, and the rest is given out in the order of their names.
  mutating func staff(_ staffing: Staffing) {
    let wanted = pools.mapValues { max(0, staffing.tellers[$0.department.name] ?? $0.ownTellers) }
    let granted = pools.mapValues { min(wanted[$0.department] ?? 0, $0.ownTellers) }
    var left = max(0, WorkerError.mostTellers - granted.values.reduce(0, +))
    for department in departments {
      let more = min(left, (wanted[department] ?? 0) - (granted[department] ?? 0))
      left -= more
      pools[department]?.staff(
        tellers: (granted[department] ?? 0) + more, isPaused: staffing.paused.contains(department.name),
        beside: staffing.beside[department.name] ?? [:])
    }
  }

  mutating func disconnected() {
    for department in pools.keys { pools[department]?.disconnected() }
  }
}

extension Tellers {
  /// Takes a teller for what was delivered, if one is free or its release has one already.
  mutating func take(_ delivery: Waiting) -> Bool {
    pools[delivery.department]?.take(delivery.assignment.release, from: delivery.consumer) == true
  }

  /// What was delivered on an earlier connection, and has a teller, has come again.
  mutating func takeAgain(_ delivery: Waiting) {
    pools[delivery.department]?.takeAgain(delivery.assignment.release, from: delivery.consumer)
  }

  /// What an earlier connection delivered and has not come again by now, is expected no longer.
  mutating func expectNothingAgain() {
    for department in pools.keys { pools[department]?.expectNothingAgain() }
  }

  /// The message of a release is to be acked; it keeps its teller.
  mutating func adopt(_ release: ReleaseID, in department: Department) {
    pools[department]?.adopt(release)
  }

  /// A release's teller is free again; returns whether its department is to be consumed, and is not.
  @discardableResult
  mutating func free(_ release: ReleaseID, in department: Department) -> Bool {
    pools[department]?.free(release) == true
  }

  mutating func wait(_ delivery: Waiting) {
    pools[delivery.department]?.wait(delivery)
  }

  /// The first delivery that waits in a department where a teller is free. The teller is not taken yet.
  mutating func nextToServe(in department: Department) -> Waiting? {
    pools[department]?.nextToServe()
  }

  /// What to do next about the consumers.
  ///
  /// - Parameter isOpen: whether anything is to be consumed at all.
  /// - Returns: nil when they are as they should be.
  mutating func nextStep(isOpen: Bool) -> DepartmentPool.Step? {
    for department in departments {
      if let step = pools[department]?.nextStep(isOpen: isOpen) { return step }
    }
    return nil
  }

  /// A consumer is cancelled; returns the tags of its deliveries that wait, to be given back.
  mutating func ended(_ consumer: String) -> [UInt64] {
    guard let department = department(ofConsumer: consumer) else { return [] }
    return pools[department]?.ended(consumer) ?? []
  }
}
