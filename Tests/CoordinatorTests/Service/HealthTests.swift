import Decisions
import Foundation
import JobModel
import JobTransport
import Ledger
import Logging
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport
@testable import Coordinator

@Suite("A coordinator's health")
struct HealthTests {
  private func healthy(at now: Duration) -> SignsOfLife {
    var signs = SignsOfLife()
    for part in [HealthPart.timekeeper, HealthPart.hearing, HealthPart.ledger] { signs.renew(part, at: now) }
    return signs
  }

  private let serving = Activity(isServing: true)

  private func failed(
    _ activity: Activity, _ broker: BrokerState, _ signs: SignsOfLife, at now: Duration = .zero
  ) -> [String] {
    HealthReport.coordinator(activity, broker.check, signs, at: now).checks.filter { !$0.isOK }.map(\.name)
  }

  @Test("is ready when it is connected, serves, hears, turns, and has written")
  func ready() {
    let report = HealthReport.coordinator(
      Activity(isServing: true), BrokerState.connected.check, healthy(at: .zero), at: SignsOfLife.limit)
    #expect(report.isReady)
    #expect(report.checks.map(\.name) == ["broker", "consumers", "loop", "ledger"])
  }

  @Test("names what is not as it should be")
  func notReady() {
    let signs = healthy(at: .zero)
    #expect(failed(Activity(), .connected, signs) == ["consumers"])
    #expect(failed(serving, .blocked, signs) == ["broker"])
    #expect(failed(serving, .lost, signs) == ["broker"])
    #expect(failed(Activity(isStandby: true), .connected, signs) == ["standby", "consumers"])
    let claim = ForeignClaim(owner: LedgerID("a"), ledger: LedgerID("b"))
    #expect(failed(Activity(foreignClaim: claim), .connected, signs) == ["claim", "consumers"])
    #expect(failed(Activity(isServing: true, isDraining: true), .connected, signs) == ["consumers"])
  }

  @Test("has what it warns of among its checks, and is ready nevertheless")
  func warnings() {
    var signs = healthy(at: .zero)
    signs.warn("dead_letters", "old")
    signs.warn("dead_letters", "3 of a queue")
    let report = HealthReport.coordinator(serving, BrokerState.connected.check, signs, at: .zero)
    #expect(report.isReady)
    #expect(report.checks.last == .init("dead_letters", isOK: true, detail: "3 of a queue"))
  }

  @Test("is not ready when it is deaf, though it is connected and its consumers are attached")
  func deaf() {
    var signs = healthy(at: .zero)
    for part in [HealthPart.timekeeper, HealthPart.ledger] { signs.renew(part, at: .seconds(11)) }
    #expect(failed(serving, .connected, signs, at: .seconds(11)) == ["consumers"])
  }

  @Test(
    "is not ready when a part hangs, whichever it is",
    arguments: [
      HealthPart.admin, HealthPart.chores, HealthPart.intake, HealthPart.presence,
    ])
  func hanging(part: String) {
    var signs = healthy(at: .seconds(11))
    signs.begin(part, at: .zero)
    let report = HealthReport.coordinator(serving, BrokerState.connected.check, signs, at: .seconds(11))
    #expect(report.checks.filter { !$0.isOK }.map(\.detail) == ["stuck: \(part) for 11 s"])
  }

  @Test("is not ready when a step hangs, or nothing turns")
  func hanging() {
    var signs = healthy(at: .seconds(11))
    signs.begin(HealthPart.recorder, at: .zero)
    #expect(failed(serving, .connected, signs, at: .seconds(11)) == ["loop"])
    #expect(failed(serving, .connected, healthy(at: .zero), at: .seconds(11)) == ["consumers", "loop", "ledger"])
  }

  @Test("shows that the ledger can be written by writing it, and fails where it cannot")
  func ledger() async throws {
    let folder = try TemporaryFolder()
    let ledger = try Ledger(path: folder.appending("teller.ledger").path)
    let board = HealthBoard()
    let bookkeeper = Bookkeeper(
      ledger: ledger, configuration: CoordinatorConfiguration(departments: [:]), logger: Logger(label: "test"),
      board: board, clock: .system, chance: .system)
    try await bookkeeper.reload()
    try await bookkeeper.touchLedger()
    #expect(board.snapshot.signs.age(of: HealthPart.ledger, at: board.snapshot.now) != nil)
    let closed = HealthBoard()
    let other = Bookkeeper(
      ledger: ledger, configuration: CoordinatorConfiguration(departments: [:]), logger: Logger(label: "test"),
      board: closed, clock: .system, chance: .system)
    try ledger.close()
    await #expect(throws: LedgerError.self) { try await other.touchLedger() }
    #expect(closed.snapshot.signs.age(of: HealthPart.ledger, at: closed.snapshot.now) == nil)
  }
}
