import AMQP
import Bookkeeping
import BrokerSupport
import Decisions
import Foundation
import HostingSupport
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Coordinator

@Suite("A read of the ledger that is cancelled", .timeLimit(.minutes(10)))
struct CancelledReadsTests {
  /// Reads in a task that is cancelled already, as every part of a coordinator is when a connection is lost.
  private func read(_ ledger: Ledger, _ through: @escaping @Sendable (() async throws -> Void) async throws -> Void)
    async
    -> (any Error)?
  {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await through { _ = try await ledger.read { try $0.job(JobID()) } }
    }
    guard case .failure(let error) = await task.result else { return nil }
    return error
  }

  @Test("is a cancellation, and no error that ends the process")
  func cancelled() async throws {
    let folder = try TemporaryFolder()
    let ledger = try Ledger(path: folder.appending("teller.ledger").path)
    #expect(await read(ledger) { try await $0() } as? LedgerError == .cancelled, "what a part throws")
    #expect(await read(ledger) { try await withCancelledReads($0) } is CancellationError)
  }

  @Test("any other error stays what it is, and so does a read that was interrupted by nobody's cancellation")
  func others() async throws {
    await #expect(throws: LedgerError.full(path: "p")) {
      try await withCancelledReads { throw LedgerError.full(path: "p") }
    }
    await #expect(throws: LedgerError.cancelled) { try await withCancelledReads { throw LedgerError.cancelled } }
  }

  /// Reads one thing after the other until a read is cancelled; never for longer than a test waits.
  private static func readOn(_ ledger: Ledger) async throws {
    let end = ContinuousClock.now + patience
    while ContinuousClock.now < end { _ = try await ledger.read { try $0.job(JobID()) } }
  }

  private static let configuration = CoordinatorConfiguration(
    departments: ["work": DepartmentSettings()], kinds: ["deposit": KindSettings(department: "work")])

  /// When a connection is lost, all parts of a session end at once, and the session with the error of the part that was the
  /// first. To make sure that a read is that part, there is no other one on the first connection.
  @Test("because the broker is lost ends the connection alone: the coordinator goes on, and serves on the next one")
  func lostBroker() async throws {
    let (folder, log, told) = (try TemporaryFolder(), ServiceLog(), ToldCalls())
    let url = try BrokerURL(try await BrokerNode.shared.makeVirtualHost())
    let ledger = try Ledger(path: folder.appending("teller.ledger").path)
    let service = CoordinatorService(
      configuration: Self.configuration, broker: BrokerSource(url), ledgerPath: ledger.path, logger: log.logger)
    let bookkeeper = Bookkeeper(
      ledger: ledger, configuration: Self.configuration, logger: log.logger, board: service.board, clock: .system,
      chance: .system)
    let serving: Task<CoordinatorService.End, any Error> = Task {
      defer { told.note("ended") }
      return try await service.serve(bookkeeper) { connections in
        guard told.all.isEmpty else { return try await service.serve(bookkeeper, on: connections) }
        told.note("reading")
        try await Self.readOn(ledger)
      }
    }
    try await told.wait(for: "reading")
    try await BrokerNode.shared.ctl("close_all_connections", "--vhost", url.virtualHost, "test")
    try await eventually("it serves, or has ended", within: patience) {
      service.activity.isServing || told.all.contains("ended")
    }
    #expect(!told.all.contains("ended"))

    let (connection, job) = (try await Connection.patient(to: url), JobID())
    #expect(try await connection.publish(SubmissionCodec.encode(Submission(id: job, kind: "deposit"))) == .confirmed)
    try await eventually("it takes a job", within: patience) { try await ledger.read { try $0.job(job) } != nil }
    await connection.close()
    service.drain()
    #expect(try await limited("the coordinator's end") { try await serving.value } == .drained)
  }
}
