import JobModel

/// A delivered assignment, on its way to a teller.
struct DeliveredAssignment: Hashable, Sendable {
  var assignment: Assignment
  var department: Department
  /// The consumer's tag.
  var consumer: String
  /// The delivery's tag.
  var tag: UInt64
  /// Why the assignment cannot be run; nil: it was read.
  var problem: String?
}

/// The tellers of one worker, by department. Each release in the worker's hands holds one teller: while it is claimed,
/// runs, is dropped, or has its report under way.
///
/// On one connection the prefetch sees to it that no assignment is delivered without a free teller. After a reconnect the
/// broker does not know the busy tellers: an assignment that it delivers without a free teller waits here, un-acked.
struct Tellers: Sendable {
  private var pools: [Department: DepartmentPool]

  init(_ tellers: [Department: Int]) {
    pools = Dictionary(uniqueKeysWithValues: tellers.map { ($0.key, DepartmentPool($0.key, tellers: $0.value)) })
  }

  var departments: [Department] { pools.keys.sorted() }
  var hasWaiting: Bool { pools.values.contains(where: \.hasWaiting) }
  var hasConsumers: Bool { pools.values.contains(where: \.hasConsumers) }

  /// How many tellers each department has.
  var counts: [Department: Int] { pools.mapValues(\.tellers) }
  /// How many tellers serve the queues of kinds, by department.
  var beside: [Department: [JobKind: Int]] { pools.mapValues(\.beside).filter { !$0.value.isEmpty } }
  /// Whether a department has tellers and is not paused.
  var areAnyAtWork: Bool { pools.values.contains { !$0.isPaused && $0.tellers > 0 } }
  var paused: [Department] { pools.values.filter(\.isPaused).map(\.department).sorted() }

  /// The departments with a queue that should be consumed, and is not.
  var unattended: [Department] { pools.values.filter(\.isUnattended).map(\.department).sorted() }

  /// The department of a consumer; nil when the consumer has ended.
  func department(ofConsumer tag: String) -> Department? {
    pools.values.first { $0.has(tag) }?.department
  }

  /// Takes in the coordinator's whole staffing. A department that is not named in it has its own number of tellers.
  ///
  /// A worker has at most `WorkerError.mostTellers`. Where more are wanted, each department keeps its own number, as far as
  /// that is wanted; the rest is given out in the order of the departments' names.
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

}

// Each of these is the department's own step, or that of the first department that has one: see ``DepartmentPool``.
extension Tellers {
  mutating func nextStep(isConsuming: Bool) -> DepartmentPool.Step? {
    for department in departments {
      if let step = pools[department]?.nextStep(isConsuming: isConsuming) { return step }
    }
    return nil
  }

  mutating func ended(_ consumer: String) -> [UInt64] {
    guard let department = department(ofConsumer: consumer) else { return [] }
    return pools[department]?.ended(consumer) ?? []
  }

  mutating func disconnected() {
    for department in pools.keys { pools[department]?.disconnected() }
  }

  mutating func giveUpRedeliveries() {
    for department in pools.keys { pools[department]?.giveUpRedeliveries() }
  }

  func serves(_ delivery: DeliveredAssignment) -> Bool { pools[delivery.department]?.serves(delivery.consumer) == true }
  mutating func take(_ delivery: DeliveredAssignment) -> Bool { pools[delivery.department]?.take(delivery) == true }
  mutating func keepWaiting(_ delivery: DeliveredAssignment) { pools[delivery.department]?.keepWaiting(delivery) }
  mutating func nextToServe(in department: Department) -> DeliveredAssignment? { pools[department]?.nextToServe() }
  mutating func adopt(_ release: ReleaseID, in department: Department) { pools[department]?.adopt(release) }

  @discardableResult
  mutating func redelivered(_ delivery: DeliveredAssignment) -> Bool {
    pools[delivery.department]?.redelivered(delivery) == true
  }

  mutating func lend(_ release: ReleaseID, level: Int, in department: Department) -> Bool {
    pools[department]?.lend(release, level: level) == true
  }

  mutating func wantBack(_ release: ReleaseID, in department: Department) { pools[department]?.wantBack(release) }
  mutating func nextReturned(in department: Department) -> ReleaseID? { pools[department]?.nextReturned() }
  mutating func goOn(_ release: ReleaseID, in department: Department) { pools[department]?.goOn(release) }

  @discardableResult
  mutating func free(_ release: ReleaseID, in department: Department) -> Bool {
    pools[department]?.free(release) == true
  }
}
