import Dispatch
import JobModel
import Synchronization
import Testing

@testable import Bookkeeping
@testable import TellerTesting

@Suite("Waits for the jobs of a test's system", .timeLimit(.minutes(10)))
struct JobLogTests {
  @Test("a change ends every wait: one that has begun, and one that has only looked")
  func wakesAll() async throws {
    let log = JobLog()
    let deadline = ContinuousClock.now + TestSystem.patience
    let steps = SteppedExecutor()
    let waiting = Task(executorPreference: steps) { try await log.changes(beyond: 0, until: deadline) }
    await steps.run()
    let looking = Task(executorPreference: steps) { try await log.changes(beyond: 0, until: deadline) }
    await steps.run(atMost: 1)
    log.note([accepted(JobID())])
    steps.release()
    #expect(try await waiting.value)
    #expect(try await looking.value)
  }

  @Test("a wait ends with its time, and with its task")
  func ends() async throws {
    let log = JobLog()
    #expect(try await log.changes(beyond: 0, until: ContinuousClock.now + .milliseconds(20)) == false)
    let waiting = Task { try await log.changes(beyond: 0, until: .now + TestSystem.patience) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }

  @Test("all have ended when none is open")
  func allEnded() async throws {
    let log = JobLog()
    let job = JobID()
    log.note([accepted(job)])
    #expect(try await log.allEnded(until: .now) == false)
    log.note([JobChange(job: identity(job), plan: nil, from: .running, to: .succeeded)])
    #expect(try await log.allEnded(until: .now))
  }

  private func accepted(_ id: JobID) -> JobChange {
    JobChange(job: identity(id), plan: nil, from: nil, to: .held)
  }

  private func identity(_ id: JobID) -> JobIdentity { JobIdentity(id: id, kind: "letter", department: "post") }
}

/// Runs the steps of its tasks when it is told to, one after another; as they come once it is released.
private final class SteppedExecutor: TaskExecutor {
  private struct State {
    var held: [UnownedJob] = []
    var isReleased = false
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "step by step")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isReleased = state.withLock { state -> Bool in
      if !state.isReleased { state.held.append(job) }
      return state.isReleased
    }
    if isReleased { begin(job) }
  }

  /// Runs the steps that are held, and those that follow from them.
  func run(atMost limit: Int = .max) async {
    var left = limit
    while left > 0, let job = next() {
      left -= 1
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        queue.async {
          job.runSynchronously(on: self.asUnownedTaskExecutor())
          continuation.resume()
        }
      }
    }
  }

  func release() {
    let held = state.withLock { state -> [UnownedJob] in
      state.isReleased = true
      defer { state.held = [] }
      return state.held
    }
    for job in held { begin(job) }
  }

  private func next() -> UnownedJob? {
    state.withLock { $0.held.isEmpty ? nil : $0.held.removeFirst() }
  }

  private func begin(_ job: UnownedJob) {
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
