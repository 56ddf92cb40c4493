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
/// runs, is dropped, or has its report under way. Where jobs are taken ahead, it holds none while its report is under way.
///
/// On one connection the prefetch sees to it that no assignment is delivered without a free teller, but for those that are
/// taken ahead. After a reconnect the broker does not know the busy tellers. An assignment that is delivered without a free
/// teller waits here, un-acked.
struct Tellers: Sendable {
  private var pools: [Department: DepartmentPool]
  /// How many jobs the departments were told to take beyond their tellers; without those that take none. Not all may have
  /// room: see ``staff(_:)``.
  private(set) var orderedAhead: [Department: Int] = [:]

  init(_ tellers: [Department: Int]) {
    pools = Dictionary(uniqueKeysWithValues: tellers.map { ($0.key, DepartmentPool($0.key, tellers: $0.value)) })
  }

  var departments: [Department] { pools.keys.sorted() }
  var hasWaiting: Bool { pools.values.contains(where: \.hasWaiting) }
  /// The deliveries that wait for a teller, or for the end of their consumer.
  var waiting: [DeliveredAssignment] { pools.values.flatMap(\.waiting.all) }
  var hasConsumers: Bool { pools.values.contains(where: \.hasConsumers) }

  /// How many tellers each department has.
  var counts: [Department: Int] { pools.mapValues(\.tellers) }
  /// How many tellers serve the queues of kinds, by department.
  var beside: [Department: [JobKind: Int]] { pools.mapValues(\.beside).filter { !$0.value.isEmpty } }
  /// How many jobs each department takes beyond its tellers; without those that take none.
  var ahead: [Department: Int] { pools.mapValues(\.ahead).filter { $0.value > 0 } }
  /// Whether a department has tellers and is not paused.
  var areAnyAtWork: Bool { pools.values.contains { !$0.isPaused && $0.tellers > 0 } }
  /// The broker refuses the queue, or does so no longer.
  mutating func setRefused(_ queue: JobQueue, _ isRefused: Bool) {
    pools[queue.department]?.setRefused(queue.kind, isRefused)
  }
  /// The queues of kinds that should be consumed, and that the broker refuses.
  var refusedBeside: [JobQueue] { pools.values.flatMap(\.refusedBeside).sorted() }
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
  /// that is wanted; the rest is given out in the order of the departments' names. The jobs that are taken ahead count, too,
  /// and get what the tellers leave: a presence lists them all.
  mutating func staff(_ staffing: Staffing) {
    orderedAhead = pools.keys.reduce(into: [:]) { ahead, department in
      if let count = staffing.ahead[department.name], count > 0 { ahead[department] = count }
    }
    let wanted = pools.mapValues { max(0, staffing.tellers[$0.department.name] ?? $0.ownTellers) }
    let granted = pools.mapValues { min(wanted[$0.department] ?? 0, $0.ownTellers) }
    var left = max(0, WorkerError.mostTellers - granted.values.reduce(0, +))
    var counts = granted
    for department in departments {
      let more = min(left, (wanted[department] ?? 0) - (granted[department] ?? 0))
      left -= more
      counts[department, default: 0] += more
    }
    for department in departments {
      let ahead = min(left, max(0, staffing.ahead[department.name] ?? 0))
      left -= ahead
      pools[department]?.staff(
        tellers: counts[department] ?? 0, ahead: ahead, isPaused: staffing.paused.contains(department.name),
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

  mutating func ended(_ consumer: String) -> [DeliveredAssignment] {
    guard let department = department(ofConsumer: consumer) else { return [] }
    return pools[department]?.ended(consumer) ?? []
  }

  mutating func disconnected() {
    for department in pools.keys { pools[department]?.disconnected() }
  }

  mutating func giveBack(after limit: Duration, at now: ContinuousClock.Instant) -> Bool {
    var hasAny = false
    for department in pools.keys where pools[department]?.giveBack(after: limit, at: now) == true { hasAny = true }
    return hasAny
  }

  mutating func giveUpRedeliveries() {
    for department in pools.keys { pools[department]?.giveUpRedeliveries() }
  }

  func hasBegun(_ consumer: String, in department: Department) -> Bool {
    pools[department]?.consumers[consumer]?.began != nil
  }

  mutating func begin(_ consumer: String, at time: Timestamp, in department: Department) {
    pools[department]?.consumers[consumer]?.began = time
  }

  /// What is known of it was by the clock of another ledger.
  mutating func forgetBegins() {
    for department in pools.keys { pools[department]?.forgetBegins() }
  }

  /// Whether the assignment was released after its consumer had begun, as far as that is known.
  func isReleasedLater(_ assignment: Assignment, than consumer: String, in department: Department) -> Bool {
    guard let began = pools[department]?.consumers[consumer]?.began else { return false }
    return assignment.releasedAt.map { $0 > began } ?? false
  }

  func serves(_ delivery: DeliveredAssignment) -> Bool { pools[delivery.department]?.serves(delivery.consumer) == true }
  mutating func take(_ delivery: DeliveredAssignment) -> Bool { pools[delivery.department]?.take(delivery) == true }
  mutating func keepWaiting(_ delivery: DeliveredAssignment, since now: ContinuousClock.Instant) {
    pools[delivery.department]?.keepWaiting(delivery, since: now)
  }
  mutating func nextToServe(in department: Department) -> DeliveredAssignment? { pools[department]?.nextToServe() }
  mutating func hold(_ delivery: DeliveredAssignment) { pools[delivery.department]?.hold(delivery) }
  func takesAhead(in department: Department) -> Bool { pools[department]?.ahead ?? 0 > 0 }

  mutating func handlerEnded(_ release: ReleaseID, in department: Department) -> Bool {
    pools[department]?.handlerEnded(release) == true
  }

  mutating func dropWaiting(_ release: ReleaseID, tag: UInt64) -> DeliveredAssignment? {
    for department in departments {
      if let delivery = pools[department]?.dropWaiting(release, tag: tag) { return delivery }
    }
    return nil
  }

  mutating func adopt(_ release: ReleaseID, in department: Department) { pools[department]?.adopt(release) }

  @discardableResult
  mutating func redelivered(_ delivery: DeliveredAssignment) -> Bool {
    pools[delivery.department]?.redelivered(delivery) == true
  }

  mutating func lend(_ release: ReleaseID, level: Int, in department: Department) -> Bool {
    pools[department]?.lend(release, level: level) == true
  }

  func isLent(_ release: ReleaseID, in department: Department) -> Bool {
    pools[department]?.lent.isAway(release) == true
  }

  mutating func wantBack(_ release: ReleaseID, in department: Department) { pools[department]?.wantBack(release) }
  mutating func nextReturned(in department: Department) -> ReleaseID? { pools[department]?.nextReturned() }
  mutating func goOn(_ release: ReleaseID, in department: Department) { pools[department]?.goOn(release) }

  @discardableResult
  mutating func free(_ release: ReleaseID, in department: Department) -> Bool {
    pools[department]?.free(release) == true
  }
}
