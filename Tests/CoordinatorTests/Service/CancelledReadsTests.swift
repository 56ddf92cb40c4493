import Foundation
import JobModel
import Ledger
import TestSupport
import Testing

@testable import Coordinator

@Suite("A read of the ledger that is cancelled")
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
}
