import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport
@testable import Decisions

@Suite("Releases that may be lost, and clocks")
struct LostByClockTests {
  /// As if the wall clock had been set back between both releases: in the ledger the later one seems to be the earlier.
  private func releasedAroundStepBack(_ books: Books, attempts: Int? = nil) async throws -> (Assignment, Assignment) {
    let early = try await books.confirmedRelease()
    let late = try await books.release(Submission(id: JobID(), kind: "deposit", maxAttempts: attempts))
    books.bookkeeper.confirmed([late.release])
    await books.bookkeeper.stampEarlier(late.job, by: .seconds(120))
    return (early, late)
  }

  @Test("what seems to be released earlier because the wall clock was set back is not overtaken")
  func clockSetBack() async throws {
    let books = try await Books()
    let (early, late) = try await releasedAroundStepBack(books)
    try await books.succeed(early)
    try await books.bookkeeper.lookForLost(in: [], olderThan: Books.anyAge)
    #expect(try await books.returnFences(in: try await books.told()).assignments.isEmpty)
    #expect(await books.bookkeeper.released[late.job]?.release == late.release)
  }

  @Test("a job that may run once is not lost because the wall clock was set back")
  func clockSetBackUnderLastAttempt() async throws {
    let books = try await Books()
    let (early, late) = try await releasedAroundStepBack(books, attempts: 1)
    try await books.succeed(early)
    try await books.bookkeeper.lookForLost(in: [], olderThan: Books.anyAge)
    _ = try await books.returnFences(in: try await books.told())
    #expect(try await books.state(late.job) == .queued)
  }

  @Test("a cancelled release stays void although the wall clock was set back")
  func clockSetBackUnderVoid() async throws {
    let books = try await Books()
    let (early, late) = try await releasedAroundStepBack(books)
    _ = try await books.cancel(late.job)
    await books.bookkeeper.stampEarlier(late.release, by: .seconds(120))
    try await books.succeed(early)
    try await books.bookkeeper.lookForLost(in: [], olderThan: Books.anyAge)
    _ = try await books.returnFences(in: try await books.told())
    #expect(await books.bookkeeper.voids.contains(late.release))
  }

  @Test("what an earlier process had released is as old as the first session of this one")
  func ageAfterRestart() async throws {
    let books = try await Books()
    let assignment = try await books.confirmedRelease()
    try await books.bookkeeper.recordMarks()
    await books.bookkeeper.backdateSign(assignment.job, by: .seconds(200))
    #expect(await books.bookkeeper.suspectQueues(olderThan: .seconds(100)) == [JobQueue("work")])
    let later = try await books.succeeded()
    #expect(await later.bookkeeper.suspectQueues(olderThan: .seconds(100)).isEmpty)
  }

  @Test("in a new session nothing is lost before the session is that old: what came back redelivered is being claimed")
  func ageInNewSession() async throws {
    let books = try await Books()
    let assignment = try await books.confirmedRelease()
    await books.bookkeeper.backdateSign(assignment.job, by: .seconds(200))
    #expect(await books.bookkeeper.suspectQueues(olderThan: .seconds(100)) == [JobQueue("work")])
    try await books.beginSession()
    #expect(await books.bookkeeper.suspectQueues(olderThan: .seconds(100)).isEmpty)
  }
}

extension Bookkeeper {
  /// What people are told of when it was released.
  fileprivate func stampEarlier(_ job: JobID, by age: Duration) {
    guard let live = released[job] else { return }
    parts.releases[job]?.releasedAt = live.releasedAt - age
  }

  fileprivate func stampEarlier(_ release: ReleaseID, by age: Duration) {
    guard let place = voidPlaces[release] else { return }
    let earlier = VoidPlace(
      number: place.number, place: place.place, since: place.since - age, heldSince: place.heldSince,
      isPublishingOver: place.isPublishingOver)
    _ = parts.releases.void.jobEnded(release, place: earlier)
  }
}
