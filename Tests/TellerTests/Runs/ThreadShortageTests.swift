import JobModel
import Logging
import Processes
import Synchronization
import TestSupport
import Testing

@testable import Teller

/// Threads that the system does not give, and gives again.
@Suite("A shortage of threads for handlers", .timeLimit(.minutes(10)))
struct ThreadShortageTests {
  /// A system whose threads can run out.
  private final class System: Sendable {
    /// How many threads it has left; nil: as many as are wanted.
    let left = Mutex<Int?>(0)

    func threads(tellers: Int) -> HandlerThreads {
      HandlerThreads(tellers: tellers) { [self] name, stackSize, body in
        let isGiven = left.withLock { left in
          guard let count = left else { return true }
          left = max(0, count - 1)
          return count > 0
        }
        return isGiven ? OwnThread.start(name, stackSize: stackSize, body) : "Resource temporarily unavailable"
      }
    }
  }

  private static func run(on threads: HandlerThreads, into finished: FinishedRuns, _ stage: WorkerStage) -> RunControl {
    let assignment = Assignment(
      release: ReleaseID(job: JobID(), number: 1), token: 1, ledger: LedgerID(), epoch: 1, kind: Staged.kind,
      department: "deposit", priority: .normal, attempt: 1, maxAttempts: 3, mustClaim: false, timeout: nil,
      content: JobContent(payload: Array(#"{"word":"one"}"#.utf8)))
    let run = JobRun(
      assignment: assignment, handler: RegisteredHandler(Staged(stage: stage)), middlewares: JobMiddlewares(),
      failureHooks: FailureHooks(), progress: ProgressBoard(), logger: Logger(label: "test"))
    return run.start(on: threads, into: finished) { _, _ in }
  }

  @Test("is seen at once, and is over with the next thread that can be started: what waited runs then")
  func heals() async throws {
    let system = System()
    let threads = system.threads(tellers: 4)
    let task = Task.detached(executorPreference: threads) { 7 }
    try await eventually("the shortage is seen", within: patience) { threads.shortage?.isTotal == true }
    #expect(threads.shortage?.reason == "Resource temporarily unavailable")
    threads.tryAgain()
    #expect(threads.shortage != nil)
    system.left.withLock { $0 = nil }
    threads.tryAgain()
    #expect(await task.value == 7)
    #expect(threads.shortage == nil)
    threads.close()
  }

  @Test("is not total while there is one thread: that one does the work of all")
  func partial() async throws {
    let system = System()
    system.left.withLock { $0 = 1 }
    let threads = system.threads(tellers: 16)
    let latch = WorkerLatch()
    let tasks = (0..<8).map { _ in Task.detached(executorPreference: threads) { latch.block() } }
    try await eventually("the shortage is seen", within: patience) { threads.shortage != nil && latch.count == 1 }
    #expect(threads.shortage?.isTotal == false)
    latch.open()
    for task in tasks { await task.value }
    #expect(latch.count == 8)
    // Nothing is wanted any more: nothing is missing.
    threads.tryAgain()
    #expect(threads.shortage == nil)
    threads.close()
  }

  @Test("a run that was given up does nothing when its thread comes after all, and one that has begun is not given up")
  func givenUp() async throws {
    let system = System()
    let threads = system.threads(tellers: 1)
    let (stage, finished) = (WorkerStage(isOpen: true), FinishedRuns())
    let control = Self.run(on: threads, into: finished, stage)
    try await eventually("the shortage is seen", within: patience) { threads.shortage != nil }
    #expect(control.giveUp())
    #expect(!control.giveUp(), "only once")
    system.left.withLock { $0 = nil }
    let other = Self.run(on: threads, into: finished, stage)
    threads.tryAgain()
    try await limited("the end of the other run") { for await _ in finished.signal.raised { break } }
    #expect(!other.giveUp())
    #expect(finished.takeAll().count == 1 && stage.entries.count == 1)
    threads.close()
  }
}
