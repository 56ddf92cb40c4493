import Foundation
import JobModel
import Teller
import Testing

@testable import TellerCLI

@Suite("The newest jobs, as a view that goes on shows them")
struct NewestJobsTests {
  /// Asks a list that never has a matching job and never ends.
  private func endless(_ query: JobQuery, limit: Int = 20) async throws -> (newest: NewestJobs, asked: [JobQuery]) {
    var asked: [JobQuery] = []
    let newest = try await NewestJobs.read(query, limit: limit) { query in
      asked.append(query)
      return JobPage(jobs: [], next: (query.before ?? 1_000_000) - 2_000)
    }
    return (newest, asked)
  }

  @Test("are looked for on a limited number of pages, and a line says how far was looked")
  func bounded() async throws {
    let (newest, asked) = try await endless(JobQuery(error: "rare"))
    #expect(asked.count == NewestJobs.mostPages)
    #expect(asked.map(\.before).suffix(2) == [984_000, 982_000])
    let note = "jobs with a number below 980000 were not looked at; `teller jobs` without --watch looks at all"
    #expect(newest.lines(now: Date(), width: nil) == [note])
    #expect(try PrintedJSON.text(newest) == "[]")
  }

  @Test("are all of them when nothing follows: then there is no such line")
  func whole() async throws {
    let newest = try await NewestJobs.read(JobQuery(error: "rare"), limit: 20) { query in
      JobPage(jobs: [], next: query.before == nil ? 7 : nil)
    }
    #expect(newest.note == nil)
  }

  @Test("are asked for in pages as large as what is missing, but running ones in large pages")
  func pages() async throws {
    #expect(try await endless(JobQuery()).asked.allSatisfy { $0.limit == 20 })
    #expect(try await endless(JobQuery(), limit: 5_000).asked.allSatisfy { $0.limit == JobQuery.limits.upperBound })
    let running = try await endless(JobQuery(state: .running)).asked
    #expect(running.allSatisfy { $0.limit == JobQuery.limits.upperBound })
  }
}
