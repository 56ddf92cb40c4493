import JobModel
import Testing

@testable import TellerCLI

@Suite("What the doctor says of what the coordinator has found")
struct CoordinatorExaminationTests {
  private func status(_ reason: String) -> TellerStatus {
    TellerStatus(
      ledger: LedgerID("l"), epoch: 1,
      coordinator: CoordinatorStatus(
        startedAt: Timestamp(milliseconds: 1), version: "0",
        deadLetters: [DeadLetterCount(DeadLetterCause(queue: "teller.submissions.2", reason: reason), count: 3)]),
      broker: BrokerStatus(state: .connected), departments: [], workers: [])
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
}
