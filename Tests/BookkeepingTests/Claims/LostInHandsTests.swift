import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport
@testable import Decisions

@Suite("Releases that seem to be lost, and are in the hands of a worker")
struct LostInHandsTests {
  @Test("what waits in a worker's hands is not lost, also when it is to be claimed")
  func waiting() async throws {
    let books = try await Books()
    var jobs: [Assignment] = []
    for _ in 1...3 { jobs.append(try await books.confirmedRelease()) }
    for job in jobs { await books.bookkeeper.backdateSign(job.job, by: .seconds(60)) }
    let worker = WorkerID()
    try await books.present(
      worker,
      waiting: [
        WaitingRelease(release: jobs[0].release, token: jobs[0].token),
        WaitingRelease(release: jobs[1].release, token: jobs[1].token, mustClaim: true),
      ])
    try await books.bookkeeper.lookForLost(in: [JobQueue("work")], olderThan: .seconds(30))
    let probe = try #require(try await books.told().probes.last)
    try await books.present(worker, probe: probe)
    let told = try await books.returnFences(in: try await books.told())
    #expect(told.assignments.map(\.job) == [jobs[2].job])
  }

  /// Found by the simulator: the last messages of a queue, which had waited there for long, were handed out just now.
  @Test("what a worker was handed while the coordinator asked about it is not lost, also when it is to be claimed")
  func handedOutMeanwhile() async throws {
    let books = try await Books()
    let worker = WorkerID()
    try await books.present(worker)
    let (handed, lost) = (try await books.confirmedRelease(), try await books.confirmedRelease())
    try await books.bookkeeper.lookForLost(in: [JobQueue("work")], olderThan: Books.anyAge)
    let probe = try #require(try await books.told().probes.max())
    let waiting = WaitingRelease(release: handed.release, token: handed.token, mustClaim: true)
    try await books.present(worker, probe: probe, waiting: [waiting])
    let told = try await books.returnFences(in: try await books.told())
    #expect(told.assignments.map(\.job) == [lost.job])
    #expect(try await books.ledger.read { try $0.attempts(of: handed.job) }.isEmpty)
    // Its connection ends: who looks again finds it lost.
    try await books.present(worker, session: 2)
    try await books.bookkeeper.lookForLost(in: [JobQueue("work")], olderThan: Books.anyAge)
    let next = try #require(try await books.told().probes.max())
    try await books.present(worker, session: 2, probe: next)
    #expect(try await books.returnFences(in: try await books.told()).assignments.map(\.job).contains(handed.job))
  }

  /// Found by the simulator: the message in hand has an older token than the grant.
  @Test("a grant whose answer was cut off is no death while its message waits in somebody's hand")
  func grantedAndHandedOut() async throws {
    let books = try await Books()
    let (worker, other) = (WorkerID(), WorkerID())
    let job = try await books.confirmedRelease()
    try await books.grant(job.release, to: worker, beside: other)
    try await books.bookkeeper.lookForLost(in: [JobQueue("work")], olderThan: Books.anyAge)
    let probe = try #require(try await books.told().probes.max())
    let waiting = WaitingRelease(release: job.release, token: job.token, mustClaim: true)
    try await books.present(worker, probe: probe)
    try await books.present(other, probe: probe, waiting: [waiting])
    #expect(try await books.returnFences(in: try await books.told()).assignments.isEmpty)
    #expect(await books.bookkeeper.released[job.job]?.progress.deaths == 0)
  }

  @Test("a job that ran when its worker died is taken back at once, though its message waits in another one's hand")
  func begunAndHandedOut() async throws {
    let books = try await Books()
    let (dead, other) = (WorkerID(), WorkerID())
    let job = try await books.confirmedRelease()
    try await books.present(dead, running: [RunningRelease(release: job.release, token: job.token)])
    let waiting = WaitingRelease(release: job.release, token: job.token, mustClaim: true)
    try await books.present(other, waiting: [waiting])
    for second in 1...60 {
      try await books.present(other, waiting: [waiting], at: .seconds(second))
      try await books.bookkeeper.tick(at: .seconds(second), isBlocked: false)
    }
    let probe = try #require(try await books.told().probes.max())
    try await books.present(other, probe: probe, waiting: [waiting], at: .seconds(60))
    #expect(try await books.returnFences(in: try await books.told()).assignments.map(\.job) == [job.job])
    #expect(await books.bookkeeper.released[job.job]?.progress.deaths == 1)
  }

  @Test(
    "a claim is a sign of the message: a grant whose answer was cut off with its worker is no death before its time")
  func claimed() async throws {
    let books = try await Books()
    let (worker, other) = (WorkerID(), WorkerID())
    let assignment = try await books.confirmedRelease()
    await books.bookkeeper.backdateSign(assignment.job, by: .seconds(200))
    try await books.grant(assignment.release, to: worker, beside: other)
    try await books.bookkeeper.lookForLost(in: [JobQueue("work")], olderThan: .seconds(100))
    #expect(try await books.told().probes.isEmpty)
    try await books.grant(assignment.release, to: other, beside: worker)
    #expect(await books.bookkeeper.released[assignment.job]?.progress.deaths == 0)
  }
}

extension Books {
  /// A worker has the message, claims the release, and may run it; neither worker says that it runs something.
  fileprivate func grant(_ release: ReleaseID, to worker: WorkerID, beside other: WorkerID) async throws {
    for worker in [worker, other] { try await present(worker) }
    _ = try await told()
    try await claim(release, by: worker)
    let probe = try #require(try await told().probes.last)
    for worker in [worker, other] { try await present(worker, probe: probe) }
    #expect(try await returnFences(in: try await told()).verdicts.count == 1)
  }
}
