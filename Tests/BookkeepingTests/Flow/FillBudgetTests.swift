import Decisions
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("What one turn releases of what is held")
struct FillBudgetTests {
  private static let departments: [Department] = ["a", "b", "c", "d"]

  /// A coordinator that has just begun, with so many held jobs of each department and room for all of them.
  private func backlogged(_ count: Int, payload: Int = 1) async throws -> Books {
    let before = try await Books().succeeded { configuration in
      configuration.departments = .init(uniqueKeysWithValues: Self.departments.map { ($0, .init(window: 1)) })
    }
    for department in Self.departments { _ = try await before.bookkeeper.setPaused(department, true) }
    for department in Self.departments {
      try await before.accept(
        (0..<count).map { _ in
          Submission(
            id: JobID(), kind: "deposit", department: department, payload: [UInt8](repeating: 1, count: payload))
        })
    }
    try before.ledger.write { ledger in
      for department in Self.departments { _ = try ledger.setPaused(department, false) }
    }
    return try await before.succeeded { configuration in
      for department in Self.departments { configuration.departments[department]?.window = 2 * count }
    }
  }

  /// What each turn has released, until there is nothing left to release.
  private func turns(_ books: Books) async throws -> [[Assignment]] {
    var turns: [[Assignment]] = []
    while case let released = try await books.told().assignments, !released.isEmpty {
      turns.append(released)
      try await books.bookkeeper.fillMore()
    }
    return turns
  }

  @Test("is no more than its limit for all departments together, also at the start, and nothing is left out")
  func count() async throws {
    let turns = try await turns(try await backlogged(200))
    #expect(turns.map(\.count).max() == ReleaseBudget.releases)
    #expect(turns.joined().count == 200 * Self.departments.count)
    #expect(Set(turns.joined().map(\.job)).count == 200 * Self.departments.count)
  }

  @Test("is no more than its limit of bytes for all of them together, but for the job that goes beyond it")
  func bytes() async throws {
    let payload = ReleaseBudget.bytes / 2 - 1
    let turns = try await turns(try await backlogged(2, payload: payload))
    #expect(turns.map(\.count) == [3, 3, 2])
  }

  @Test("goes to the departments by turns: one with much to release keeps no other waiting for more than a turn")
  func fair() async throws {
    let count = 2 * ReleaseBudget.releases
    let turns = try await turns(try await backlogged(count))
    for round in 0..<2 {
      let served = turns[(round * Self.departments.count)...].prefix(Self.departments.count)
      #expect(Set(served.joined().map(\.department)).count == Self.departments.count)
    }
    #expect(turns.joined().count == count * Self.departments.count)
  }

  @Test("goes on where it was cut off")
  func goesOn() async throws {
    let turns = try await turns(try await backlogged(ReleaseBudget.releases / 2 + 1))
    #expect(turns.map { Set($0.map(\.department.name)).sorted() } == [["a", "b"], ["b", "c", "d"], ["d"]])
  }
}
