import Foundation
import HostingSupport
import JobModel
import Synchronization
import Testing
import TestSupport

@testable import Hosting
@testable import Teller

/// What the handlers of a test do: they say that they began, and wait until the test lets them end.
final class WorkerStage: Sendable {
  struct Entry: Hashable, Sendable {
    var job: JobID
    var attempt: Int
  }

  private struct State {
    var isOpen: Bool
    var open: Set<JobID> = []
    var waiting: [(job: JobID, continuation: CheckedContinuation<Void, Never>)] = []
    var running = 0
    var mostRunning = 0
    var entries: [Entry] = []
  }

  private let state: Mutex<State>
  private let begun: AsyncStream<Entry>
  private let begin: AsyncStream<Entry>.Continuation

  /// - Parameter isOpen: whether handlers end without being let.
  init(isOpen: Bool = false) {
    state = Mutex(State(isOpen: isOpen))
    (begun, begin) = AsyncStream.makeStream()
  }

  /// Everything that has begun so far.
  var entries: [Entry] { state.withLock(\.entries) }
  /// The most handlers that ran at once.
  var mostRunning: Int { state.withLock(\.mostRunning) }

  /// The next handler to begin.
  func nextEntry() async throws -> Entry {
    try await limited("a handler begins") { [begun] in
      for await entry in begun { return entry }
      throw CancellationError()
    }
  }

  /// Lets a job's handler end, or all of them.
  func open(_ job: JobID? = nil) {
    let released = state.withLock { state in
      if let job { state.open.insert(job) } else { state.isOpen = true }
      let released = state.waiting.filter { job == nil || $0.job == job }
      state.waiting.removeAll { job == nil || $0.job == job }
      return released
    }
    for waiting in released { waiting.continuation.resume() }
  }

  /// What a handler does. Ends when the test lets it, or when it is cancelled.
  func play(_ job: JobID, attempt: Int) async throws {
    enter(Entry(job: job, attempt: attempt))
    defer { state.withLock { $0.running -= 1 } }
    await withTaskCancellationHandler {
      await withCheckedContinuation { wait($0, job) }
    } onCancel: {
      open(job)
    }
    try Task.checkCancellation()
  }

  private func enter(_ entry: Entry) {
    state.withLock { state in
      state.entries.append(entry)
      state.running += 1
      state.mostRunning = max(state.mostRunning, state.running)
    }
    begin.yield(entry)
  }

  private func wait(_ continuation: CheckedContinuation<Void, Never>, _ job: JobID) {
    let isOpen = state.withLock { state in
      if state.isOpen || state.open.contains(job) { return true }
      state.waiting.append((job, continuation))
      return false
    }
    if isOpen { continuation.resume() }
  }
}

/// A handler that does what its stage tells it to, and gives its payload back.
struct Staged: JobHandler {
  static let kind: JobKind = "staged"
  struct Payload: Codable, Sendable, Hashable { var word: String }
  typealias Output = Payload

  let stage: WorkerStage

  func run(context: JobContext<Payload>) async throws -> Payload {
    try await stage.play(context.id, attempt: context.attempt)
    return context.payload
  }
}

/// A handler that blocks its thread until the stage's test lets it go on.
struct Stubborn: JobHandler {
  static let kind: JobKind = "stubborn"
  struct Payload: Codable, Sendable {}

  let latch: WorkerLatch

  func run(context: JobContext<Payload>) async throws -> NoResult {
    latch.block()
    return NoResult()
  }
}

/// Blocks threads, as a handler should not.
final class WorkerLatch: Sendable {
  private let condition = NSCondition()
  private let blocked = Mutex(0)
  private let isOpen = Mutex(false)

  /// How many threads have come here.
  var count: Int { blocked.withLock { $0 } }

  func block() {
    blocked.withLock { $0 += 1 }
    condition.lock()
    while !isOpen.withLock({ $0 }) { condition.wait() }
    condition.unlock()
  }

  func open() {
    condition.lock()
    isOpen.withLock { $0 = true }
    condition.broadcast()
    condition.unlock()
  }
}

/// A worker that runs beside its test.
struct RunningWorker: Sendable {
  let worker: Worker
  private let log: WorkerLog
  private let task: Task<Void, any Error>
  private let ended: AsyncStream<Void>

  init(_ worker: Worker, log: WorkerLog, trapsSignals: Bool) {
    self.worker = worker
    self.log = log
    let (ended, end) = AsyncStream<Void>.makeStream()
    self.ended = ended
    task = Task {
      defer { end.finish() }
      if trapsSignals { try await worker.runService() } else { try await worker.run() }
    }
  }

  /// Has the peer welcome it, and waits until it consumes. From then on it waits for no answer of the broker but
  /// confirms, so what is released is delivered fresh. Gives the presence in which it asked for the welcome, on a later
  /// connection than that of the given one.
  ///
  /// Before, a broker that answers too late costs it its connection, and it has to be welcomed on the next one.
  @discardableResult
  func ready(with peer: WorkerPeer, after earlier: Presence? = nil) async throws -> Presence {
    let timesReady = log.timesReady
    let welcoming = Task { () async -> Presence? in
      var asking: Presence?
      while let next = try? await peer.welcomeNext(after: earlier) { asking = next }
      return asking
    }
    defer { welcoming.cancel() }
    try await eventually("the worker is ready", within: patience, lastState: { "\(log.messages.suffix(5))" }) {
      log.timesReady > timesReady
    }
    welcoming.cancel()
    let presence = await welcoming.value
    return try #require(presence)
  }

  /// Waits for its end, and throws what `run` threw.
  func end() async throws {
    try await limited("the worker's end") { for await _ in ended {} }
    try Task.checkCancellation()
    try await task.value
  }

  func cancel() { task.cancel() }

  fileprivate func stop() async {
    task.cancel()
    _ = await task.result
  }
}

/// Has a worker run while the body does.
func withWorker(
  at url: String, _ tellers: [Department: Int] = ["deposit": 2], timeouts: WorkerTimeouts = WorkerTimeouts(),
  stage: WorkerStage = WorkerStage(isOpen: true), log: WorkerLog = WorkerLog(), trapsSignals: Bool = false,
  register: (Worker) -> Void = { _ in },
  _ body: (RunningWorker) async throws -> Void
) async throws {
  var timeouts = timeouts
  // A test that waits for its goodbye is to hear it, however busy the machine is.
  timeouts.goodbye = patience
  // And a worker that had to wait for its turn on the machine is not to claim what it would begin at once.
  timeouts.silence = patience
  let worker = Worker(
    try TellerConfiguration(broker: url), departments: tellers, timeouts: timeouts, logger: log.logger)
  worker.register(Staged(stage: stage))
  worker.services.limits.withLock { $0 = .patient }
  register(worker)
  let running = RunningWorker(worker, log: log, trapsSignals: trapsSignals)
  do {
    try await body(running)
  } catch {
    await running.stop()
    throw error
  }
  await running.stop()
}
