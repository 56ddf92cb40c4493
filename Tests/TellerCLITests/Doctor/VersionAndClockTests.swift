import CoordinatorSettings
import Decisions
import JobModel
import Testing

@testable import TellerCLI

@Suite("What the doctor says of versions and of the clock")
struct VersionAndClockTests {
  @Test(
    "RabbitMQ before 3.10 is wrong; what is no number is not judged",
    arguments: [
      ("3.9.29", "wrong"), ("3.10.0", "ok"), ("3.13.7", "ok"), ("4.3.6", "ok"), ("10.0.0", "ok"), ("2.99.0", "wrong"),
      ("", "note"), ("nightly", "note"), ("4", "note"),
    ])
  func broker(version: String, state: String) {
    #expect(BrokerExamination.versions(version).state.rawValue == state)
  }

  @Test("a coordinator of another version is told, and no fault")
  func coordinator() {
    func found(_ version: String) -> [Finding] {
      CoordinatorExamination.versions(
        TellerStatus(
          ledger: LedgerID("l"), epoch: 1,
          coordinator: CoordinatorStatus(startedAt: Timestamp(milliseconds: 1), version: version),
          broker: BrokerStatus(state: .connected), departments: [], workers: []))
    }
    #expect(found(CoordinatorConfiguration.version).map(\.state) == [.ok])
    let other = found("0.0.9")
    #expect(other.map(\.state) == [.note] && other.first?.text.contains("the coordinator is 0.0.9") == true)
  }

  @Test("a clock that is more than two seconds behind that of the ledger is wrong, whatever the ledger's lead")
  func clock() {
    let now = Timestamp(milliseconds: 1_000_000)
    func state(_ time: Duration, lead: Duration = .zero) -> Finding.State? {
      LedgerExamination.clock(LedgerClock.Record(time: now + time, lead: lead), now: now)?.state
    }
    #expect(LedgerExamination.clock(nil, now: now) == nil)
    #expect([.seconds(-9), .zero, .seconds(2)].map { state($0) } == [.ok, .ok, .ok])
    #expect([.milliseconds(2_001), .seconds(86_400)].map { state($0) } == [.wrong, .wrong])
    #expect(state(.seconds(60), lead: .seconds(60)) == .ok, "its time runs ahead, and its clock does not")
  }
}
