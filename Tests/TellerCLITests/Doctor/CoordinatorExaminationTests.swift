import JobModel
import Testing

@testable import TellerCLI

@Suite("What the doctor says of what the coordinator has found")
struct CoordinatorExaminationTests {
  private func status(_ reason: String, departments: [DepartmentStatus] = []) -> TellerStatus {
    TellerStatus(
      ledger: LedgerID("l"), epoch: 1,
      coordinator: CoordinatorStatus(
        startedAt: Timestamp(milliseconds: 1), version: "0",
        deadLetters: [DeadLetterCount(DeadLetterCause(queue: "teller.submissions.2", reason: reason), count: 3)]),
      broker: BrokerStatus(state: .connected), departments: departments, workers: [])
  }

  @Test("a queue that was gone is wrong where nobody may see the policies, and what was in it is not called taken back")
  func missing() {
    let text = "teller.submissions.2 was gone when the coordinator connected, and what waited in it is lost"
    let found = CoordinatorExamination.deadLetters(status("missing"), false)
    #expect(found.map(\.text) == [text] && found.map(\.state) == [.wrong] && found.map(\.area) == [.policies])
    #expect(CoordinatorExamination.deadLetters(status("missing"), true) == [.note(.policies, text)])
  }

  @Test("messages that were taken off their queue are wrong in the same way, and taken back")
  func takenBack() {
    let found = CoordinatorExamination.deadLetters(status("expired"), false)
    #expect(found.map(\.state) == [.wrong])
    let text = "the broker took 3 messages off teller.submissions.2 (expired), and the coordinator took them back"
    #expect(found.map(\.text) == [text])
    #expect(CoordinatorExamination.deadLetters(status("expired"), true).map(\.state) == [.note])
  }

  @Test(
    "a department is wrong when all of its tellers are stuck, and named when others may wait for stuck ones",
    arguments: [
      (0, 0, nil, false, nil), (0, 2, nil, false, nil), (1, 2, nil, false, nil), (2, 2, nil, false, .wrong),
      (1, 2, 1, false, .note), (1, 2, 2, false, nil), (1, 2, nil, true, .note), (2, 2, 1, true, .wrong),
    ] as [(Int, Int, Int?, Bool, Finding.State?)])
  func stuck(count: Int, tellers: Int, cap: Int?, isOrdered: Bool, state: Finding.State?) {
    let department = DepartmentStatus(
      department: "post", isOrdered: isOrdered, isPaused: false, window: 10, cap: cap, tellers: tellers,
      stuckTellers: count, held: 0, delayed: 0, dependent: 0, void: 0, queued: 1, running: 0, succeeded: 0, failed: 0,
      cancelled: 0)
    let found = CoordinatorExamination.departments(status("expired", departments: [department]))
    #expect(found.map(\.state) == (state.map { [$0] } ?? []))
    #expect(found.allSatisfy { $0.text.contains("\(count) of the \(tellers) tellers of post are stuck") })
  }
}
