import DequeModule
public import JobModel
public import Logging

/// A service that takes pushes, and hands each of them to a sink until the sink has taken it.
///
///     client.add(PushReceiver(pushes) { push in try await client.send(push) })
///
/// A worker sends nothing by itself. So a process whose host is a worker has a client beside it, which ends after it:
///
///     let client = TellerClient(configuration)
///     worker.add(PushReceiver(pushes) { push in try await client.send(push) })
///     let group = ServiceGroup(services: [client, worker], gracefulShutdownSignals: [.sigterm], logger: logger)
///
/// Pushes come from a sequence, or by ``receive(_:)``. The receiver holds up to ``room`` of them, and 32 MiB of
/// payload. When it is full, ``receive(_:)`` says so, and the sequence is not read: a sequence that keeps what is not
/// read needs a limit of its own.
///
/// Pushes are handed over one at a time, the oldest first, while the host is open. A push for which the sink throws
/// waits for its next try: a second at first, twice as long each time, ``longestPause`` at most. Others go on
/// meanwhile, so the order may change. It is tried again for as long as the host is open; when the host can work again
/// after a pause, at once. A push that is refused for good (``PushRefusal``) is logged with its id, and not tried again.
///
/// The sink and the sequence have a thread each. One that blocks its thread holds up the other pushes, and nobody else.
///
/// From the host's drain on the receiver takes nothing. Each push that it still holds is tried once more, within the
/// time that a service has to stop. Those that are left are logged, each with its id and the name of its event.
///
/// ## What is promised
///
/// A push has its id from its receipt on. So a push that comes again, from the receiver or from its sender, is the same
/// event, and is acted on once. A push that was taken is handed over, or named in the log.
///
/// ## What is not promised
///
/// A push that the process had in memory when it was killed is lost, unless its sender sends it again.
public actor PushReceiver<Pushes: AsyncSequence & Sendable>: HostedService where Pushes.Element == Push {
  private enum Phase { case taking, lastRound, over }

  private let pushes: Pushes?
  private let limits: PushLimits
  private let sink: @Sendable (Push) async throws -> Void
  private let threads = PushThreads()
  private let logger: Logger
  private var phase = Phase.taking
  private var isOpen = false
  private var buffer: PushBuffer
  private var reading: Task<Void, Never>?
  private var isReading = false
  private var tries: [JobID: Task<Void, Never>] = [:]
  private var nextTry: Task<Void, Never>?
  private var limit: Task<Void, Never>?
  /// Those who wait until something has changed.
  private var waiting: [CheckedContinuation<Void, Never>] = []
  /// The pushes that were handed over and not told as received yet, the oldest first.
  private var unconfirmed: Deque<JobID> = []
  /// A worker is told of no event.
  private var isToldOfEvents = false
  /// How many tries have failed since the receiver had nothing to do.
  private var failures = 0
  private var isFullLogged = false

  /// How many pushes are held.
  public static var room: Int { PushLimits().room }
  /// The longest pause between two tries of a push.
  public static var longestPause: Duration { PushLimits().longestPause }

  /// A receiver.
  ///
  /// - Parameters:
  ///   - pushes: What comes. Read once, by one task, while the host is open and there is room.
  ///   - logger: Where a push that was not handed over is logged.
  ///   - sink: Takes a push; returns when it is safe with somebody else. It may be given the same push again. It
  ///     should have a limit of time: meanwhile no other push is handed over.
  public init(
    _ pushes: Pushes, logger: Logger = Logger(label: "teller.pushes"),
    sink: @escaping @Sendable (Push) async throws -> Void
  ) {
    self.init(pushes, limits: PushLimits(), logger: logger, sink: sink)
  }

  /// The same with other limits. `pushes`: nil: pushes come by ``receive(_:)`` alone.
  package init(
    _ pushes: Pushes?, limits: PushLimits, logger: Logger, sink: @escaping @Sendable (Push) async throws -> Void
  ) {
    self.pushes = pushes
    self.limits = limits
    self.logger = logger
    self.sink = sink
    buffer = PushBuffer(limits)
  }

  deinit { threads.close() }

  /// The name without the type of the pushes.
  nonisolated public var name: String { "PushReceiver" }

  /// Takes a push, also before the host is open, and while it is paused.
  ///
  ///     guard await receiver.receive(push) else { return .serviceUnavailable }
  ///
  /// - Returns: Whether the receiver has the push. False: it is full, or its host ends. Then it has kept nothing: say
  ///   so to whoever has sent the push, so that it is sent again.
  public func receive(_ push: Push) -> Bool {
    guard phase == .taking else { return false }
    guard buffer.take(push) else {
      logFull()
      return false
    }
    goOn()
    return true
  }

  /// Begins to take pushes, and to hand them over.
  public func opened() async throws { open() }

  /// Takes no further push from the sequence, and begins no further try.
  public func paused() async throws { isOpen = false }

  /// Goes on.
  public func resumed() async throws { open() }

  /// Takes no further push, and tries each one that it has once more.
  public func draining() async throws { await end(within: limits.lastRound) }

  /// The same where there was no drain. Logs what is left.
  public func stopped() async throws {
    await end(within: limits.shortLastRound)
    logLost(buffer.pushes)
    threads.close()
    guard isToldOfEvents, !unconfirmed.isEmpty else { return }
    logger.notice(
      "of the pushes that were handed over, \(unconfirmed.count) were not told as received",
      metadata: ["pushes": "\(unconfirmed.prefix(limits.named).map(\.description).joined(separator: ", "))"])
  }

  /// Forgets the push of that id: it has come.
  public func received(_ event: EventStatus) async throws {
    isToldOfEvents = true
    if buffer.remove(event.id) { goOn() } else { unconfirmed.removeAll { $0 == event.id } }
  }
}

extension PushReceiver where Pushes == AsyncStream<Push> {
  /// A receiver whose pushes come by ``receive(_:)`` alone.
  ///
  /// - Parameters:
  ///   - logger: Where a push that was not handed over is logged.
  ///   - sink: Takes a push, as with a sequence.
  public init(
    logger: Logger = Logger(label: "teller.pushes"), sink: @escaping @Sendable (Push) async throws -> Void
  ) {
    self.init(nil, limits: PushLimits(), logger: logger, sink: sink)
  }
}

// From the sequence into the buffer.
extension PushReceiver {
  private func open() {
    isOpen = true
    buffer.retry()
    if phase == .taking, reading == nil, let pushes {
      isReading = true
      reading = Task { await read(pushes) }
    }
    goOn()
  }

  private func read(_ pushes: Pushes) async {
    do {
      var iterator = pushes.makeAsyncIterator()
      while await isToRead(), let push = try await threads.next(of: &iterator) { hold(push) }
      if phase == .taking { logger.info("the pushes have ended") }
    } catch {
      if phase == .taking { logger.error("the pushes have ended with an error: \(error)") }
    }
    isReading = false
    goOn()
  }

  /// Waits until the host is open and there is room.
  ///
  /// - Returns: false at the end.
  private func isToRead() async -> Bool {
    while phase == .taking, !isOpen || !buffer.hasRoom { await change() }
    return phase == .taking
  }

  /// The push is out of its sequence, whatever has happened meanwhile.
  private func hold(_ push: Push) {
    if phase == .over { return logLost([push]) }
    buffer.hold(push)
    goOn()
  }
}

// From the buffer to the sink.
extension PushReceiver {
  /// Begins what is to be done now. Called after every change.
  private func goOn() {
    nextTry?.cancel()
    defer { for waiting in takeWaiting() { waiting.resume() } }
    while phase == .taking ? isOpen && tries.isEmpty : phase == .lastRound && tries.count < limits.lastTries {
      switch buffer.next(at: .now) {
      case .push(let push): tries[push.id] = Task { await handOver(push) }
      case .pause(let due): return goOn(at: due)
      case .nothing:
        if phase == .lastRound, !isReading, tries.isEmpty { finish() }
        return
      }
    }
  }

  private func goOn(at due: ContinuousClock.Instant) {
    nextTry = Task { if (try? await Task.sleep(until: due, clock: .continuous)) != nil { goOn() } }
  }

  private func handOver(_ push: Push) async {
    do {
      try await threads.hand(push, to: sink)
      noteTaken(push)
    } catch {
      note(error, of: push)
    }
    tries[push.id] = nil
    if buffer.isEmpty { (failures, isFullLogged) = (0, false) }
    goOn()
  }

  private func noteTaken(_ push: Push) {
    // The host may have been told of the event before the sink's answer came.
    guard buffer.remove(push.id) else { return }
    unconfirmed.append(push.id)
    if unconfirmed.count > limits.remembered { unconfirmed.removeFirst() }
  }

  private func note(_ error: any Error, of push: Push) {
    // Cut off: named with all that are left.
    if phase == .over { return }
    let reason = "\(error)".prefix(ServiceReport.longestError)
    if let refusal = error as? any PushRefusal, refusal.isFinalRefusal {
      guard buffer.remove(push.id) else { return }
      logger.error("push \(push.event) is refused for good: \(reason)", metadata: ["push": "\(push.id)"])
    } else if let number = buffer.fail(push.id, at: .now) {
      failures += 1
      guard ServiceReport.isWorthwhile(error: failures) else { return }
      logger.warning("push \(push.event) was not taken, try \(number): \(reason)", metadata: ["push": "\(push.id)"])
    }
  }
}

// The end.
extension PushReceiver {
  /// Begins the last round, and waits for its end.
  private func end(within time: Duration) async {
    if phase == .taking {
      phase = .lastRound
      buffer.beginLastRound()
      reading?.cancel()
      limit = Task { if (try? await Task.sleep(for: time)) != nil { finish() } }
      goOn()
    }
    await withTaskCancellationHandler {
      while phase != .over { await change() }
    } onCancel: {
      Task { await finish() }
    }
  }

  private func finish() {
    phase = .over
    limit?.cancel()
    nextTry?.cancel()
    for task in tries.values { task.cancel() }
    for waiting in takeWaiting() { waiting.resume() }
  }

  private func change() async { await withCheckedContinuation { waiting.append($0) } }

  private func takeWaiting() -> [CheckedContinuation<Void, Never>] {
    defer { waiting = [] }
    return waiting
  }

  /// Once until the receiver has nothing to do.
  private func logFull() {
    if isFullLogged { return }
    isFullLogged = true
    logger.warning("\(buffer.count) pushes wait to be handed over: further ones are refused until there is room")
  }

  /// Some in a line. They are bounded, because the buffer is.
  private func logLost(_ pushes: [Push]) {
    for start in stride(from: 0, to: pushes.count, by: limits.namedInLine) {
      let names = pushes[start...].prefix(limits.namedInLine).map { "\($0.event) \($0.id)" }
      logger.error("pushes of which it is not known that anybody has them: \(names.joined(separator: ", "))")
    }
  }
}
