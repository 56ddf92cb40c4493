import Decisions
import JobModel
import JobTransport
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Earlier submitters of a job")
struct EarlierSubmittersTests {
  private func address(_ number: Int, wait: ReplyAddress.Wait = .outcome) -> ReplyAddress {
    ReplyAddress(replyTo: "teller.reply.\(number)", correlationID: "c", wait: wait)
  }

  @Test("is told once, and only who waits for an outcome takes a place")
  func told() {
    var followers = EarlierSubmitters()
    let job = JobID()
    for _ in 0..<3 { followers.add(address(1), of: job) }
    followers.add(address(2, wait: .accepted), of: job)
    #expect(followers.count == 1)
    #expect(followers.ended(job) == [address(1)])
    #expect(followers.ended(job) == [])
    #expect(followers.count == 0)
  }

  @Test("no more follow than the limit says, over all jobs")
  func bounded() {
    var followers = EarlierSubmitters()
    let (first, second) = (JobID(), JobID())
    for number in 0..<EarlierSubmitters.limit { followers.add(address(number), of: first) }
    followers.add(address(0), of: second)
    #expect(followers.count == EarlierSubmitters.limit)
    #expect(followers.ended(second) == [])
    #expect(followers.ended(first).count == EarlierSubmitters.limit)
    followers.add(address(0), of: second)
    #expect(followers.ended(second) == [address(0)])
  }

  @Test("follows what was accepted and has not ended; what was rejected, or has ended, nobody follows")
  func acceptedOnly() async throws {
    let books = try await Books()
    func submission(_ id: JobID, _ reply: ReplyAddress, kind: JobKind = "deposit") -> Submission {
      Submission(id: id, kind: kind, reply: reply)
    }
    let job = JobID()
    try await books.accept(submission(job, address(1, wait: .accepted)))
    try await books.accept(submission(job, address(2)))
    #expect(await books.bookkeeper.earlierSubmitters == 0, "the first one asked for no outcome")
    try await books.accept(submission(job, address(3)))
    #expect(await books.bookkeeper.earlierSubmitters == 1)
    for _ in 0..<2 { try await books.accept(submission(JobID(), address(4), kind: "nobody-serves-it")) }
    #expect(await books.bookkeeper.earlierSubmitters == 1)
    let told = try await books.told()
    try await books.succeed(try #require(told.assignments.first))
    let outcomes = try await books.told()
    for number in [2, 3] { #expect(outcomes.replies(to: address(number)).count == 1) }
    try await books.accept(submission(job, address(5)))
    #expect(await books.bookkeeper.earlierSubmitters == 0)
  }
}
