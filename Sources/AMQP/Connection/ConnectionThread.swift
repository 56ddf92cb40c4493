import Foundation
import Processes
import Synchronization

/// The one thread of a connection, and the executor of its actor.
///
/// The C library's connection belongs to one thread, and its calls may block in `send`. So the connection has a thread of
/// its own, which waits for the socket and for jobs at once.
///
///     ┌─▶ calls ─▶ jobs of the actor ─▶ the connection's turn ─▶ wait for the socket, or for new jobs ─┐
///     └────────────────────────────────────────────────────────────────────────────────────────────────┘
///
/// While it waits, another thread may borrow the connection for one turn: to send a small message. To wake this thread for
/// that takes longer than to send. One lock holds all rounds and turns apart. A borrowed turn does not read: only this
/// thread has the stack for it, and a reader's handlers are not to run on the thread of any caller.
final class ConnectionThread: SerialExecutor {
  /// The thread waits for the socket, and for no longer than the timeout.
  struct Wait {
    let descriptor: Int32
    let timeout: Duration
  }

  /// What a turn may do.
  enum Part {
    case all(isReadable: Bool)
    case sending
  }

  /// One round of the connection. `nil`: no socket to wait for.
  typealias Turn = @Sendable (Part) -> Wait?

  private struct Work {
    var calls: [@Sendable () -> Void] = []
    var jobs: [UnownedJob] = []
    var turn: Turn?

    var isEmpty: Bool { calls.isEmpty && jobs.isEmpty }
  }

  private struct State {
    var work = Work()
    var isWaiting = false
    /// When the present wait ends by itself; nil: not before the socket or a job ends it.
    var waitsUntil: ContinuousClock.Instant?
    var isStopped = false

    /// Whether the thread has nothing to do but to wait.
    var isFree: Bool { isWaiting && work.isEmpty && !isStopped }
  }

  /// The C decoder of header tables recurses once per nesting level. A frame has room for 21,800 levels, and these crash a
  /// stack of 2 MB. Only touched pages cost memory.
  private static let stackSize = 16 << 20

  private let state = Mutex(State())
  /// Held while anything of the connection is used. The thread gives it up to wait.
  private let use = Mutex(())
  /// The thread that uses the connection now; 0: none does.
  private let user = Atomic<UInt>(0)
  private let wakePipe: WakePipe

  /// What a connection takes: its pipe, its socket, and what the look-up of the broker's name opens.
  static let descriptors = 5

  /// Starts the thread. None of the process's last descriptors is taken.
  ///
  /// - Throws: `Shortage` when this process has no descriptors or threads left.
  init(name: String) throws(Shortage) {
    let (left, needed) = (Descriptors.left, Self.descriptors + Descriptors.last)
    guard left.count >= needed, let wakePipe = WakePipe() else {
      throw Shortage(reason: Descriptors.tooFew(left, needed: needed))
    }
    self.wakePipe = wakePipe
    let problem = OwnThread.start(name, stackSize: Self.stackSize) { self.run() }
    if let problem { throw Shortage(reason: "no thread can be started: \(problem)") }
  }

  /// What the system has not given.
  struct Shortage: Error {
    let reason: String
  }

  /// Each round calls the turn from now on.
  func setTurn(_ turn: @escaping Turn) {
    change { $0.work.turn = turn }
  }

  /// Calls a function on the thread, before any job that comes later.
  func call(_ body: @escaping @Sendable () -> Void) {
    change { $0.work.calls.append(body) }
  }

  /// Runs the body on the calling thread, and a turn that sends after it, if the thread of the connection only waits. The
  /// body must not block. What it says is whether there is something for a turn to do.
  ///
  /// - Returns: false: the thread is busy, or the body has done nothing.
  func borrow(_ body: () -> Bool) -> Bool {
    // A handler of answers may publish. The lock is held then, and some systems end a process that asks for it once more.
    if user.load(ordering: .relaxed) == Self.currentThread() { return false }
    return use.withLockIfAvailable { _ in
      guard let turn = state.withLock({ $0.isFree ? $0.work.turn : nil }) else { return false }
      return using {
        guard body() else { return false }
        adopt(turn(.sending))
        return true
      }
    } ?? false
  }

  private func using<Result>(_ body: () -> Result) -> Result {
    user.store(Self.currentThread(), ordering: .relaxed)
    defer { user.store(0, ordering: .relaxed) }
    return body()
  }

  /// Ends the thread once the jobs that have come are done. Nothing may be enqueued afterwards.
  func stop() {
    change { $0.isStopped = true }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    change { $0.work.jobs.append(job) }
  }

  func checkIsolated() {
    precondition(
      user.load(ordering: .relaxed) == Self.currentThread(), "a connection is used off its own thread")
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
    var isReadable = true
    while let work = takeWork() {
      let wait = use.withLock { _ in
        using {
          for call in work.calls { call() }
          for job in work.jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
          return work.turn?(.all(isReadable: isReadable))
        }
      }
      isReadable = self.wait(for: wait)
    }
  }

  /// The thread waits by what its own last turn said. After a borrowed turn it may have to look earlier.
  private func adopt(_ wait: Wait?) {
    let isLater = state.withLock { state in
      guard let wait, let end = state.waitsUntil else { return false }
      return ContinuousClock.now + wait.timeout >= end
    }
    if !isLater { change { $0.work.calls.append({}) } }
  }

  private func takeWork() -> Work? {
    state.withLock { state in
      state.isWaiting = false
      if state.isStopped && state.work.isEmpty { return nil }
      defer {
        state.work.jobs.removeAll(keepingCapacity: true)
        state.work.calls.removeAll()
      }
      return state.work
    }
  }

  /// - Returns: whether the socket may have something: it has, the time has passed, or nobody has looked.
  private func wait(for wait: Wait?) -> Bool {
    let end = wait.map { ContinuousClock.now + $0.timeout }
    let isIdle = state.withLock { state in
      state.isWaiting = state.work.isEmpty && !state.isStopped
      state.waitsUntil = end
      return state.isWaiting
    }
    guard isIdle else { return true }
    var descriptors = [pollfd(fd: wakePipe.readDescriptor, events: Int16(POLLIN), revents: 0)]
    if let wait { descriptors.append(pollfd(fd: wait.descriptor, events: Int16(POLLIN), revents: 0)) }
    // Rounded up: otherwise the thread would spin through the last fraction of a millisecond.
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
