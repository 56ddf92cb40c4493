import Decisions
import JobModel
import JobTransport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Waiting for outcomes, in the books")
struct PollingTests {
  @Test("an answer waits for jobs and plans that go on, and for nothing that has ended or is unknown")
  func asked() async throws {
    let books = try await Books()
    let jobs = try await books.fillWork(2)
    try await books.succeed(jobs[0])
    _ = try await books.told()
    func ask(_ ids: JobID..., limit: Duration = .seconds(10)) async throws -> [Set<JobID>] {
      let query = WaitQuery(ids: ids, limit: limit)
      #expect(try await books.bookkeeper.beginWaiting(query, .test, at: .zero) == nil)
      return try await books.told().compactMap { if case .polled(let wait) = $0 { Set(wait.ids) } else { nil } }
    }
    #expect(try await ask(jobs[0].job, JobID()).count == 1)
    #expect(try await ask(jobs[0].job, jobs[1].job).isEmpty)
    #expect(try await ask(jobs[1].job, limit: .zero).count == 1, "who only looks does not wait")
    try await books.succeed(jobs[1])
    let polled = try await books.told().compactMap { if case .polled(let wait) = $0 { Set(wait.ids) } else { nil } }
    #expect(polled == [Set(jobs.map(\.job))])
  }
}
