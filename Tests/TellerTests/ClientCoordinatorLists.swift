import JobModel
import JobTransport

@testable import Teller

/// Lists of two rows, one row a page: a client must go on by what a page says.
extension CoordinatorPart {
  static func workers(_ query: WorkerQuery) -> WorkerPage {
    let id = query.after == nil ? "w1" : "w2"
    let status = WorkerStatus(
      id: WorkerID(id), name: "desk-1", tellers: [(query.department ?? "deposit").name: 2], paused: [], running: 1,
      stuck: [], isDraining: true, lastSeenMs: 30)
    return WorkerPage(
      workers: [WorkerPage.Worker(status, kinds: ["loan", "deposit"])], next: query.after == nil ? WorkerID(id) : nil)
  }

  static func schedules(_ query: ScheduleQuery) -> SchedulePage {
    let schedule = ScheduleStatus(
      name: query.after == nil ? "hourly" : "nightly", expression: "0 3 * * *", timeZone: "GMT", kind: "deposit",
      department: nil, next: Timestamp(milliseconds: 5_000), last: nil)
    return SchedulePage(schedules: [schedule], next: query.after == nil ? schedule.name : nil)
  }

  static func keys(_ query: KeyQuery) -> KeyPage {
    let key = TakenKey(
      kind: query.kind ?? "deposit", key: query.after == nil ? "a" : "b", job: operationJob, state: .held,
      until: Timestamp(milliseconds: 7_000))
    return KeyPage(keys: [key], next: query.after == nil ? key.position : nil)
  }

  /// A question that waits tells of the end, one that does not of a job under way.
  static func key(_ question: KeyQuestion) -> KeyStatus {
    var status = KeyStatus(question.name)
    guard question.key != "unused" else { return status }
    if question.key == "free" {
      (status.job, status.state) = (operationJob, .succeeded)
      return status
    }
    (status.isTaken, status.job, status.state, status.waiting) = (true, operationJob, .running, 2)
    if question.limit > .zero { status.end(with: .succeeded(result: [0x37], contentType: "application/json")) }
    return status
  }

  static func subscribers(_ query: SubscriberQuery) -> SubscriberPage {
    let name: SubscriberName = query.after == nil ? "audit" : "chat"
    let place = NotificationPosition(epoch: 1, seq: 7)
    return SubscriberPage(subscribers: [subscriber(name, at: place)], next: query.after == nil ? name : nil)
  }

  static func subscriber(_ name: SubscriberName, at place: NotificationPosition) -> SubscriberStatus {
    SubscriberStatus(
      name: name, epoch: place.epoch, sequence: place.seq, offset: nil, behind: 3,
      seen: Timestamp(milliseconds: 5_000))
  }

  static func plans(_ query: PlanQuery) -> PlanPage {
    let plan = PlanStatus(
      id: operationJob, phase: query.includesEnded ? .open : .running, number: query.before == nil ? 9 : 8,
      department: query.department ?? "init",
      state: query.includesEnded ? .succeeded : .held, steps: 3, stepsDone: 1,
      acceptedAt: Timestamp(milliseconds: 5_000),
      finishedAt: nil)
    return PlanPage(plans: [plan], next: query.before == nil ? plan.number : nil)
  }

  static func plan(_ name: String) -> PlanDetails {
    PlanDetails(
      name: PlanName(name), phase: name == "failed" ? .failed : .open, run: operationJob, department: "init",
      gates: [PlanDetails.Gate("deposit", isOpen: true)],
      steps: [PlanDetails.Step(name: "login", rank: 1, round: 2, isRequired: true, kind: "login", state: .succeeded)],
      events: [PlanEvent("push", rank: 2)], waitingEvents: 1)
  }

  static let event = EventStatus(
    id: operationJob, name: "push", plan: "opening", state: .announced, department: "init", kind: "push",
    receivedAt: Timestamp(milliseconds: 6_000), decidedAt: nil)

  static let operationJob = JobID(plan: JobID(schedule: "list", firedAt: Timestamp(milliseconds: 0)), step: "row")
}
