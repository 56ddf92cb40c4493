import Foundation
import Synchronization

/// The one thread of a connection, and the executor of its actor.
///
/// The C library's connection belongs to one thread, and its calls may block in `send`: so a thread of its own, which
/// waits for the socket and for jobs at once. Each round runs the jobs that have come, then the connection's turn, then
/// waits for as long as the turn said.
final class ConnectionThread: SerialExecutor {
  /// What the thread waits for beside new jobs.
  struct Wait {
    let descriptor: Int32
    let timeout: Duration
  }

  private struct State {
    var calls: [@Sendable () -> Void] = []
    var jobs: [UnownedJob] = []
    var turn: (@Sendable (_ isReadable: Bool) -> Wait?)?
    var isWaiting = false
    var isStopped = false
  }

  private struct Work {
    let calls: [@Sendable () -> Void]
    let jobs: [UnownedJob]
    let turn: (@Sendable (_ isReadable: Bool) -> Wait?)?
  }

  /// The C decoder of header tables recurses once per nesting level, and a frame has room for 21,800 of them: they
  /// crash a stack of 2 MB. Only touched pages cost memory.
  private static let stackSize = 16 << 20

  private let state = Mutex(State())
  private let identity = Atomic<UInt>(0)
  private let wakePipe: WakePipe

  /// Starts the thread.
  ///
  /// - Returns: `nil` when this process has no descriptors left.
  init?(name: String) {
    guard let wakePipe = WakePipe() else { return nil }
    self.wakePipe = wakePipe
    let thread = Thread { self.run() }
    thread.name = name
    thread.stackSize = Self.stackSize
    thread.start()
  }

  /// Has that called in each round from now on, and told whether the socket has something to read, or may have. `nil`
  /// from it: nothing to wait for but jobs.
  func setTurn(_ turn: @escaping @Sendable (_ isReadable: Bool) -> Wait?) {
    change { $0.turn = turn }
  }

  /// Calls something on the thread, before any job that comes later.
  func call(_ body: @escaping @Sendable () -> Void) {
    change { $0.calls.append(body) }
  }

  /// Ends the thread once the jobs that have come are done. Nothing may be enqueued afterwards.
  func stop() {
    change { $0.isStopped = true }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    change { $0.jobs.append(job) }
  }

  func checkIsolated() {
    precondition(
      identity.load(ordering: .relaxed) == Self.currentThread(), "a connection is used off its own thread")
  }

  private func change(_ body: (inout State) -> Void) {
    let isWaiting = state.withLock { state in
      body(&state)
      defer { state.isWaiting = false }
      return state.isWaiting
    }
    if isWaiting { wakePipe.wake() }
  }

  private func run() {
    identity.store(Self.currentThread(), ordering: .relaxed)
    var isReadable = true
    while let work = takeWork() {
      for call in work.calls { call() }
      for job in work.jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
      isReadable = wait(for: work.turn?(isReadable))
    }
  }

  private func takeWork() -> Work? {
    state.withLock { state in
      state.isWaiting = false
      if state.isStopped && state.jobs.isEmpty && state.calls.isEmpty { return nil }
      defer {
        state.jobs.removeAll(keepingCapacity: true)
        state.calls.removeAll()
      }
      return Work(calls: state.calls, jobs: state.jobs, turn: state.turn)
    }
  }

  /// - Returns: whether the socket may have something to read: nobody has looked, it has, or the time has passed.
  private func wait(for wait: Wait?) -> Bool {
    let isIdle = state.withLock { state in
      state.isWaiting = state.jobs.isEmpty && state.calls.isEmpty && !state.isStopped
      return state.isWaiting
    }
    guard isIdle else { return true }
    var descriptors = [pollfd(fd: wakePipe.readDescriptor, events: Int16(POLLIN), revents: 0)]
    if let wait { descriptors.append(pollfd(fd: wait.descriptor, events: Int16(POLLIN), revents: 0)) }
    // Rounded up: a deadline a fraction of a millisecond away is not waited for by spinning.
    let timeout = wait.map { Int32(clamping: max(0, ($0.timeout.microseconds + 999) / 1000)) } ?? -1
    let ready = poll(&descriptors, nfds_t(descriptors.count), timeout)
    if descriptors[0].revents != 0 { wakePipe.drain() }
    return ready <= 0 || (descriptors.count > 1 && descriptors[1].revents != 0)
  }

  private static func currentThread() -> UInt {
    #if canImport(Darwin)
      UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }
}
