import JobModel
import JobTransport

@testable import Teller

/// Tellers whose changes are calls, so that they can be expected.
final class ObservedTellers {
  private var tellers: Tellers

  init(_ tellers: [Department: Int]) { self.tellers = Tellers(tellers) }

  var hasWaiting: Bool { tellers.hasWaiting }
  var hasConsumers: Bool { tellers.hasConsumers }
  var counts: [Department: Int] { tellers.counts }
  var paused: [Department] { tellers.paused }
  var unattended: [Department] { tellers.unattended }
  var refusedBeside: [JobQueue] { tellers.refusedBeside }
  func setRefused(_ queue: JobQueue, _ isRefused: Bool) { tellers.setRefused(queue, isRefused) }
  func take(_ delivery: DeliveredAssignment) -> Bool { tellers.take(delivery) }
  func redelivered(_ delivery: DeliveredAssignment) { tellers.redelivered(delivery) }
  func serves(_ delivery: DeliveredAssignment) -> Bool { tellers.serves(delivery) }
  func free(_ delivery: DeliveredAssignment) { tellers.free(delivery.assignment.release, in: delivery.department) }
  func adopt(_ delivery: DeliveredAssignment) { tellers.adopt(delivery.assignment.release, in: delivery.department) }
  func isLent(_ delivery: DeliveredAssignment) -> Bool {
    tellers.isLent(delivery.assignment.release, in: delivery.department)
  }

  func lend(_ delivery: DeliveredAssignment, level: Int = 0) -> Bool {
    tellers.lend(delivery.assignment.release, level: level, in: delivery.department)
  }
  func wantBack(_ delivery: DeliveredAssignment) {
    tellers.wantBack(delivery.assignment.release, in: delivery.department)
  }
  func nextReturned(in department: Department = "deposit") -> ReleaseID? { tellers.nextReturned(in: department) }
  func goOn(_ delivery: DeliveredAssignment) { tellers.goOn(delivery.assignment.release, in: delivery.department) }
  func giveUpRedeliveries() { tellers.giveUpRedeliveries() }
  func keepWaiting(_ delivery: DeliveredAssignment) { tellers.keepWaiting(delivery, since: .now) }
  func nextToServe(in department: Department) -> DeliveredAssignment? { tellers.nextToServe(in: department) }
  func staff(
    _ counts: [String: Int] = [:], paused: [String] = [], beside: [JobKind: Int] = [:], ahead: [String: Int] = [:]
  ) {
    tellers.staff(Staffing(tellers: counts, paused: paused, beside: ["deposit": beside], ahead: ahead))
  }
  func disconnected() { tellers.disconnected() }
  func ended(_ consumer: String) -> [UInt64] { tellers.ended(consumer).map(\.tag) }
  func handlerEnded(_ delivery: DeliveredAssignment) -> Bool {
    tellers.handlerEnded(delivery.assignment.release, in: delivery.department)
  }
  func hold(_ delivery: DeliveredAssignment) { tellers.hold(delivery) }
  func dropWaiting(_ delivery: DeliveredAssignment) -> UInt64? {
    tellers.dropWaiting(delivery.assignment.release, tag: delivery.tag)?.tag
  }
  func giveBack(after limit: Duration, at now: ContinuousClock.Instant) -> Bool {
    tellers.giveBack(after: limit, at: now)
  }
  var ahead: [Department: Int] { tellers.ahead }
  func nextStep(isConsuming: Bool = true) -> DepartmentPool.Step? { tellers.nextStep(isConsuming: isConsuming) }

  /// Carries out the steps about the consumers, and tells them: `+3` is a consumer for three, `-` one that ended.
  @discardableResult
  func steps(isConsuming: Bool = true) -> [String] {
    var steps: [String] = []
    while let step = nextStep(isConsuming: isConsuming) {
      switch step {
      case .consume(_, let kind, let tag, let prefetch):
        steps.append("+\(prefetch)\(kind.map { " \($0)" } ?? "")")
        self.prefetch[tag] = prefetch
      case .cancel(let tag):
        steps.append("-")
        givenBack.formUnion(ended(tag))
        self.prefetch[tag] = nil
      }
    }
    return steps
  }

  /// The tags of what waited, and went back with its consumer.
  private(set) var givenBack: Set<UInt64> = []
  /// Of the consumers that live.
  private(set) var prefetch: [String: Int] = [:]
}

/// What a consumer of a department has delivered: a fresh job, never the same twice.
func delivery(
  _ tag: UInt64 = 1, _ department: Department = "deposit", of consumer: String = "department.deposit.1",
  priority: Priority = .normal
) -> DeliveredAssignment {
  let assignment = Assignment(
    release: ReleaseID(job: JobID(), number: 1), token: 1, ledger: LedgerID("l"), epoch: 1, kind: "echo",
    department: department, priority: priority, attempt: 1, maxAttempts: 3, mustClaim: false, timeout: nil,
    content: JobContent())
  return DeliveredAssignment(assignment: assignment, department: department, consumer: consumer, tag: tag)
}
