import GRDB
import JobModel
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport
@testable import Ledger

@Suite("What a waiting job costs the others")
struct WaitingCostTests {
  @Test("a job for which nobody waits is not looked for among what is waited for, however many others wait")
  func others() async throws {
    let books = try await Books(window: 100)
    let waiting = Submission(id: JobID(), kind: "deposit", after: Dependencies(jobs: [JobID()]))
    try await books.accept(waiting)
    _ = try await books.told()
    let asked = try await books.asked {
      let assignments = try await books.fillWork(20)
      try await books.succeed(assignments[0])
      for assignment in assignments.dropFirst() { try await books.succeed(assignment) }
      try await books.doChores()
    }
    #expect(asked.count > 40)
    let needless = asked.filter { $0.contains("dependency") }
    #expect(needless.isEmpty, "\(needless.count) of \(asked.count) statements: \(needless.first ?? "")")
    #expect(await books.bookkeeper.openDependencies == 1)
  }

  @Test("the same after a restart, and a job for which somebody waits is found all the same")
  func restarted() async throws {
    let books = try await Books(window: 100)
    let before = JobID()
    let waiting = Submission(id: JobID(), kind: "deposit", after: Dependencies(jobs: [before]))
    try await books.accept(waiting)
    let later = try await books.succeeded()
    _ = try await later.told()
    let asked = try await later.asked {
      for assignment in try await later.fillWork(20) { try await later.succeed(assignment) }
      try await later.doChores()
    }
    #expect(!asked.contains { $0.contains("dependency") })
    try await later.succeed(try await later.release(Submission(id: before, kind: "deposit")))
    try await later.doChores()
    #expect(try await later.told().assignments.map(\.job) == [waiting.id])
  }
}

extension Books {
  /// What the ledger is asked meanwhile.
  func asked(_ body: () async throws -> Void) async throws -> [String] {
    let statements = Asked()
    try ledger.write { $0.statements.database.trace { statements.add($0.description) } }
    try await body()
    try ledger.write { $0.statements.database.trace(options: []) }
    return statements.all
  }
}

/// The statements, in order; the one connection that writes adds them one after the other.
private final class Asked: @unchecked Sendable {
  private(set) var all: [String] = []
  func add(_ sql: String) { all.append(sql) }
}
