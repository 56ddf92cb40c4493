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
    latch.open()
    for task in tasks { await task.value }
    #expect(latch.count == 6)
    threads.close()
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
