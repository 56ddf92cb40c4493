import JobModel
import Logging
import Testing
import TestSupport

@testable import Teller

@Suite("The threads of handlers", .timeLimit(.minutes(10)))
struct WorkerThreadsTests {
  @Test("tasks that block their threads run at once, up to the number of tellers, and the others after them")
  func blocking() async throws {
    let threads = HandlerThreads(tellers: 4)
    let latch = WorkerLatch()
    let tasks = (0..<6).map { _ in Task.detached(executorPreference: threads) { latch.block() } }
    try await eventually("four tasks block", within: patience, lastState: { "\(latch.count)" }) {
      latch.count == 4
    }
    #expect(threads.allAtWork == 4, "two wait for one of them")
    latch.open()
    for task in tasks { await task.value }
    #expect(latch.count == 6)
    #expect(threads.allAtWork == nil, "nothing waits")
    threads.close()
  }

  @Test("a job that is cancelled while it waits for a thread is not begun")
  func cancelled() async throws {
    let threads = HandlerThreads(tellers: 1)
    let latch = WorkerLatch()
    let blocking = Task.detached(executorPreference: threads) { latch.block() }
    try await eventually("the only thread is blocked", within: patience) { latch.count == 1 }
    let stage = WorkerStage(isOpen: true)
    let finished = FinishedRuns()
    let assignment = Assignment(
      release: ReleaseID(job: JobID(), number: 1), token: 1, ledger: LedgerID(), epoch: 1, kind: Staged.kind,
      department: "deposit", priority: .normal, attempt: 1, maxAttempts: 3, mustClaim: false, timeout: nil,
      content: JobContent(payload: Array(#"{"word":"one"}"#.utf8)))
    let run = JobRun(
      assignment: assignment, handler: RegisteredHandler(Staged(stage: stage)), middlewares: JobMiddlewares(),
      failureHooks: FailureHooks(), progress: ProgressBoard(), logger: Logger(label: "test"))
    let control = run.start(on: threads, into: finished) { _, _ in }
    control.cancel(.jobEnded)
    latch.open()
    await blocking.value
    try await limited("the run's end") { for await _ in finished.signal.raised { break } }
    guard case .failed(let failure, isPermanent: false) = finished.takeAll().first?.result else {
      Issue.record("it was not cancelled")
      return
    }
    #expect(failure.code == "cancelled")
    #expect(stage.entries.isEmpty)
    threads.close()
  }

  @Test("tasks that are gathered run when all of them are there, each on a thread of its own if it blocks")
  func gathered() async throws {
    let threads = HandlerThreads(tellers: 16)
    let latch = WorkerLatch()
    var tasks: [Task<Void, Never>] = []
    for count in [3, 12] {
      threads.gather(true)
      for _ in 0..<count { tasks.append(Task.detached(executorPreference: threads) { latch.block() }) }
      threads.gather(false)
      let expected = tasks.count
      try await eventually("all tasks block", within: patience, lastState: { "\(latch.count)" }) {
        latch.count == expected
      }
    }
    latch.open()
    for task in tasks { await task.value }
    threads.close()
  }

  @Test("tasks that all block get all the threads there may be")
  func crowded() async throws {
    let threads = HandlerThreads(tellers: HandlerThreads.most)
    let latch = WorkerLatch()
    let tasks = (0...HandlerThreads.most).map { _ in
      Task.detached(executorPreference: threads) { latch.block() }
    }
    try await eventually("as many tasks block as there are threads", within: patience, lastState: { "\(latch.count)" })
    {
      latch.count == HandlerThreads.most
    }
    latch.open()
    for task in tasks { await task.value }
    #expect(latch.count == tasks.count)
    threads.close()
  }

  @Test("runs that have ended are told of when they are as many as is worthwhile, or when fewer are")
  func finished() async throws {
    let finished = FinishedRuns()
    func end() {
      finished.append(
        FinishedAttempt(
          release: ReleaseID(job: JobID(), number: 1), token: 1, ledger: LedgerID(), startedAt: .now, ran: .zero,
          result: .succeeded(result: [], contentType: nil)))
    }
    end()
    try await limited("the first run") { for await _ in finished.signal.raised { break } }
    #expect(finished.takeAll().count == 1)
    finished.signal(at: 2)
    end()
    end()
    try await limited("two runs") { for await _ in finished.signal.raised { break } }
    #expect(finished.takeAll().count == 2)
    end()
    finished.signal(at: 1)
    try await limited("the last run") { for await _ in finished.signal.raised { break } }
    #expect(finished.takeAll().count == 1)
  }

  @Test("every task is done, also those that come from many threads, suspend, or come after the end")
  func complete() async {
    let threads = HandlerThreads(tellers: 8)
    let latch = WorkerLatch()
    latch.open()
    await withTaskGroup { group in
      for _ in 0..<2_000 {
        group.addTask(executorPreference: threads) {
          await Task.yield()
          latch.block()
        }
      }
    }
    #expect(latch.count == 2_000)
    threads.close()
    await Task.detached(executorPreference: threads) { latch.block() }.value
    #expect(latch.count == 2_001)
  }
}
