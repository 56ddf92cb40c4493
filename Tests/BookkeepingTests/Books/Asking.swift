import Decisions
import Foundation
import JobModel
import JobTransport
import Ledger

@testable import Bookkeeping
@testable import BooksSupport

extension RandomBooks {
  /// Every question that there is, about what is there and what is not.
  func askEverything() async throws {
    for id in ids.suffix(15) + events.prefix(5) + [JobID()] { try await ask(about: id) }
    for department in [nil, "work", "init"] as [Department?] {
      for kind in [nil, "deposit"] as [JobKind?] { try await ask(about: department, kind) }
      try await ask(about: department)
    }
    try await askForLists()
    try await askForEvents()
    try await askForStanding()
  }

  private var bookkeeper: Bookkeeper { books.bookkeeper }

  private func ask(about id: JobID) async throws {
    _ = try await bookkeeper.showJob(id)
    _ = try await bookkeeper.explain(id)
    _ = try await bookkeeper.showContent(of: id)
    _ = try await bookkeeper.showEvent(id)
    _ = try await bookkeeper.showPlan(id.description)
    _ = try await bookkeeper.listJobs(JobQuery(plan: id))
    _ = try await bookkeeper.reportTotals(ReportQuery(plan: id))
    _ = try await bookkeeper.listActions(ActionQuery(job: id))
    let poll = LongPolls.Poll(address: .test, ids: [id], deadline: .zero)
    _ = try await bookkeeper.document(of: poll)
  }

  private func ask(about department: Department?, _ kind: JobKind?) async throws {
    for state in [nil] + JobState.allCases.map(Optional.some) {
      _ = try await bookkeeper.listJobs(JobQuery(department: department, state: state, kind: kind, limit: 10))
    }
    _ = try await bookkeeper.listJobs(JobQuery(department: department, kind: kind, limit: 10, onlyUnsettled: true))
    _ = try await bookkeeper.countFailures(FailureQuery(department: department, kind: kind))
    for action in OperationRecord.Action.allCases {
      _ = try await bookkeeper.count(action, department: department, kind: kind)
    }
  }

  private func ask(about department: Department?) async throws {
    for includesEnded in [false, true] {
      _ = try await bookkeeper.listPlans(PlanQuery(department: department, includesEnded: includesEnded, limit: 10))
    }
    _ = try await bookkeeper.reportTotals(ReportQuery(department: department))
  }

  private func askForLists() async throws {
    let (early, late) = (Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 2e9))
    for query in [
      JobQuery(error: "broken", limit: 10), JobQuery(kind: "deposit", key: "key 1"), JobQuery(key: "key 1"),
      JobQuery(since: early, until: late, limit: 10), JobQuery(department: "work", state: .failed, error: "hopeless"),
    ] { _ = try await bookkeeper.listJobs(query) }
    let key = JobKey(kind: "deposit", key: "key 1")
    _ = try await bookkeeper.keyStatus(key)
    for kind in [nil, "deposit"] as [JobKind?] { _ = try await bookkeeper.listKeys(KeyQuery(kind: kind)) }
    _ = try await bookkeeper.listActions(ActionQuery())
    _ = try await bookkeeper.noteAction(ActionNote("counted"), command: UUID())
    _ = try await bookkeeper.operationDocument(1)
  }

  private func askForEvents() async throws {
    for plan in [nil, "opening", "old"] as [PlanName?] {
      for state in [nil, .kept, .acted, .announced, .dismissed] as [EventState?] {
        _ = try await bookkeeper.listEvents(EventQuery(plan: plan, state: state, limit: 10))
      }
    }
    _ = try await bookkeeper.showPlan("opening")
    _ = try await bookkeeper.listSchedules(ScheduleQuery())
    _ = try await bookkeeper.keepPlace(PlaceOrder("s"))
    _ = try await bookkeeper.subscriber("s")
    _ = try await bookkeeper.listSubscribers(SubscriberQuery())
    _ = try await bookkeeper.forgetSubscriber("s")
  }

  private func askForStanding() async throws {
    let now = books.clock.monotonic
    _ = try await bookkeeper.status(broker: .connected, at: now)
    _ = try await bookkeeper.showBoard(
      BoardQuery(departments: ["work", "init", "capped"], limit: 10), broker: .connected, at: now)
    _ = try await bookkeeper.crowded(["init"])
    try await bookkeeper.touchLedger()
    try await bookkeeper.recordMarks()
    try await books.sendNotifications()
  }
}
