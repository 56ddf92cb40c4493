import Decisions
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Jobs that a worker has taken ahead, in the books")
struct AheadBooksTests {
  private let holder = WorkerID()
  private let other = WorkerID()

  private func released(_ books: Books) async throws -> Assignment {
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    books.bookkeeper.confirmed([assignment.release])
    return assignment
  }

  private func waiting(_ assignment: Assignment, mustClaim: Bool = false) -> WaitingRelease {
    WaitingRelease(release: assignment.release, token: assignment.token, mustClaim: mustClaim)
  }

  @Test("a worker is told how many to take until it says the same; another configuration changes it at once")
  func told() async throws {
    let books = try await Books()
    try await books.present(holder)
    _ = try await books.told()
    try await books.takeOver { $0.departments["work"]?.ahead = 2 }
    try await books.present(holder)
    #expect(try await books.told().welcomes.map(\.staffing) == [Staffing(ahead: ["work": 2])])
    try await books.present(holder)
    #expect(try await books.told().staffings == [Staffing(ahead: ["work": 2])], "the first word may be lost")
    try await books.present(holder, ahead: ["work": 2])
    #expect(try await books.told().staffings.isEmpty)
    try await books.takeOver { $0.departments["work"]?.ahead = 0 }
    try await books.present(holder, ahead: ["work": 2])
    #expect(try await books.told().welcomes.map(\.staffing) == [Staffing()])
  }

  @Test("a worker is not told again and again of a department that it does not serve")
  func notServed() async throws {
    let books = try await Books()
    try await books.takeOver { $0.departments["other"] = .init(ahead: 2) }
    try await books.present(holder)
    _ = try await books.told()
    try await books.present(holder)
    #expect(try await books.told().staffings.isEmpty)
  }

  @Test("what waits is queued, and its explanation names the worker")
  func explained() async throws {
    let books = try await Books()
    let assignment = try await released(books)
    try await books.present(holder, waiting: [waiting(assignment)])
    let explanation = try #require(try await books.bookkeeper.explain(assignment.job))
    #expect(explanation.state == .queued)
    #expect(explanation.reasons.first?.text.contains("it is in the hand of worker desk-") == true, "\(explanation)")
    try await books.present(holder)
    let later = try #require(try await books.bookkeeper.explain(assignment.job))
    #expect(later.reasons.first?.text.contains("it is in the queue") == true, "\(later)")
  }

  @Test("while one worker lists it, another one with a copy is told that it is elsewhere")
  func elsewhere() async throws {
    #expect(try await verdicts(mustClaim: false) == [.elsewhere])
    #expect(try await verdicts(mustClaim: true) == [.run(token: 2, attempt: 1)], "it asks before it runs, too")
  }

  private func verdicts(mustClaim: Bool) async throws -> [Verdict] {
    let books = try await Books()
    let assignment = try await released(books)
    let listed = [waiting(assignment, mustClaim: mustClaim)]
    try await books.present(holder, waiting: listed)
    try await books.present(other)
    try await books.claim(assignment.release, by: other)
    let probe = try #require(try await books.told().probes.last)
    try await books.present(other, probe: probe)
    try await books.present(holder, probe: probe, waiting: listed)
    return try await books.returnFences(in: try await books.told()).verdicts
  }

  @Test("the death of its worker costs what waited no attempt, and counts as no death of it")
  func death() async throws {
    let books = try await Books()
    let (running, ahead) = (try await released(books), try await released(books))
    try await books.present(
      holder, tellers: ["work": 1], running: [RunningRelease(release: running.release, token: running.token)],
      waiting: [waiting(ahead)])
    _ = try await books.told()
    for second in 1...12 { try await books.bookkeeper.tick(at: .seconds(second), isBlocked: false) }
    let told = try await books.returnFences(in: try await books.told())
    #expect(Set(told.assignments.map(\.job)) == [running.job, ahead.job])
    let (ran, waited) = (try await books.job(running.job)?.progress, try await books.job(ahead.job)?.progress)
    #expect(ran?.deaths == 1 && ran?.attempt == 2, "it was the only one that ran, in a worker with one teller")
    #expect(waited?.deaths == 0 && waited?.attempt == 1)
  }

  @Test("what was granted to another worker meanwhile is not to be begun")
  func stopped() async throws {
    let books = try await Books()
    let assignment = try await released(books)
    try await books.present(other)
    try await books.claim(assignment.release, by: other)
    let probe = try #require(try await books.told().probes.last)
    try await books.present(other, probe: probe)
    _ = try await books.returnFences(in: try await books.told())
    // It was given up before, and comes back with what it has.
    try await books.present(holder, waiting: [waiting(assignment)])
    #expect(try await books.told().stops == [assignment.release])
    try await books.present(holder, waiting: [waiting(assignment, mustClaim: true)])
    #expect(try await books.told().stops == [], "it asks")
  }

  @Test("a number that the ledger never gave shows that the ledger was rolled back")
  func behind() async throws {
    let books = try await Books()
    let assignment = try await released(books)
    func presence(token: Int) -> PresenceMessage {
      .presence(
        Presence(
          worker: holder, session: 1, name: "w", tellers: ["work": 1], ledger: books.ledger.id, probe: 0, running: [],
          waiting: [WaitingRelease(release: assignment.release, token: token)]))
    }
    #expect(await !books.bookkeeper.isBehind([presence(token: assignment.token)]))
    #expect(await books.bookkeeper.isBehind([presence(token: assignment.token + 1)]))
  }
}
