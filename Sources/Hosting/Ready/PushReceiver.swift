import DequeModule
public import JobModel
public import Logging

/// A service that takes pushes from a sequence, and hands each of them to a sink, one after the other.
///
///     worker.add(PushReceiver(pushes) { push in try await send(push) })
///
/// The receiver takes pushes while its host is open. A push for which the sink throws is tried again, ``tries`` times in
/// all; then it is logged, with its id. While the host is paused the receiver takes no further push, and begins no further
/// try. From the host's drain on it takes nothing: what it has taken is handed over first.
///
/// The receiver remembers what it has handed over until the host is told of the event. What is left at the end is logged:
/// nobody has confirmed that it has come.
public actor PushReceiver<Pushes: AsyncSequence & Sendable>: HostedService where Pushes.Element == Push {
  private let pushes: Pushes
  private let sink: @Sendable (Push) async throws -> Void
  private let logger: Logger
  private var isOpen = false
  private var isEnding = false
  private var isDelivering = false
  private var reading: Task<Void, Never>?
  /// Waits until the host is open, or the end has come.
  private var waiting: CheckedContinuation<Void, Never>?
  /// The pushes that were handed over and not told as received yet, the oldest first.
  private var unconfirmed: Deque<JobID> = []

  /// How often a push is handed to a sink that throws.
  public static var tries: Int { 3 }
  /// The pause before the second try; before the third one it is twice as long.
  static var pause: Duration { .seconds(1) }
  /// How many unconfirmed pushes are remembered; beyond, the oldest are forgotten.
  static var remembered: Int { 1_000 }
  /// How many of them the log names at the end.
  static var named: Int { 10 }

  /// A receiver.
  ///
  /// - Parameters:
  ///   - pushes: What comes. Read once, by one task.
  ///   - logger: Where a push that was not handed over is logged.
  ///   - sink: Takes a push; returns when it is safe with somebody else. It may be given the same push again.
  public init(
    _ pushes: Pushes, logger: Logger = Logger(label: "teller.pushes"),
    sink: @escaping @Sendable (Push) async throws -> Void
  ) {
    self.pushes = pushes
    self.logger = logger
    self.sink = sink
  }

  /// The name without the type of the pushes.
  nonisolated public var name: String { "PushReceiver" }

  /// Begins to take pushes.
  public func opened() async throws {
    open()
    if reading == nil, !isEnding { reading = Task { await read() } }
  }

  /// Takes no further push.
  public func paused() async throws { isOpen = false }

  /// Goes on.
  public func resumed() async throws { open() }

  /// Takes no further push, and hands over what it has taken.
  public func draining() async throws { end() }

  /// Waits until what was taken is handed over.
  public func stopped() async throws {
    end()
    let reading = reading
    await withTaskCancellationHandler {
      await reading?.value
    } onCancel: {
      reading?.cancel()
    }
    guard !unconfirmed.isEmpty else { return }
    logger.notice(
      "of the pushes that were handed over, \(unconfirmed.count) were not told as received",
      metadata: ["pushes": "\(unconfirmed.prefix(Self.named).map(\.description).joined(separator: ", "))"])
  }

  /// Forgets the push of that id: it has come.
  public func received(_ event: EventStatus) async throws { unconfirmed.removeAll { $0 == event.id } }

  private func open() {
    isOpen = true
    wake()
  }

  private func end() {
    isEnding = true
    wake()
    // A push that is being handed over is not interrupted; the wait for the next one is.
    if !isDelivering { reading?.cancel() }
  }

  private func wake() {
    waiting?.resume()
    waiting = nil
  }

  private func read() async {
    do {
      var iterator = pushes.makeAsyncIterator()
      while await isToTake(), let push = try await iterator.next(isolation: self) { await deliver(push) }
      if !isEnding { logger.info("the pushes have ended") }
    } catch {
      if !isEnding { logger.error("the pushes have ended with an error: \(error)") }
    }
  }

  /// Waits until the host is open.
  ///
  /// - Returns: false at the end.
  private func isToTake() async -> Bool {
    while !isOpen, !isEnding { await withCheckedContinuation { waiting = $0 } }
    return !isEnding
  }

  private func deliver(_ push: Push) async {
    isDelivering = true
    defer { isDelivering = false }
    for number in 1...Self.tries {
      _ = await isToTake()
      do {
        try await sink(push)
        return noteDelivered(push)
      } catch {
        let isLast = number == Self.tries || isEnding
        logger.log(
          level: isLast ? .error : .warning,
          "push \(push.event) was not taken, try \(number) of \(Self.tries): \(error)",
          metadata: ["push": "\(push.id)"])
        if isLast { return }
      }
      try? await Task.sleep(for: Self.pause * number)
    }
  }

  private func noteDelivered(_ push: Push) {
    unconfirmed.append(push.id)
    if unconfirmed.count > Self.remembered { unconfirmed.removeFirst() }
  }
}
