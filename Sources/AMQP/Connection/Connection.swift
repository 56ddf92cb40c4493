import DequeModule

/// A connection to a RabbitMQ broker, with one channel in confirm mode.
///
/// A connection lives once: any error but `AMQPError.invalid` ends it, and everything that waits on it throws. To go on,
/// open another one, declare and consume again. What was published without a confirm by then may or may not have
/// arrived; what was delivered and not acked is delivered again.
///
/// When the broker is short of memory or disk it stops reading from connections that publish: use one connection to
/// publish and another one to consume and ack. Close a connection with ``close()``; one that is just let go of ends too,
/// but the broker takes that for a fault.
///
/// Calls are not interrupted by cancelling their task: the broker's answer is the only truth about what was sent. Their
/// limits are those of ``ConnectionOptions``.
package actor Connection {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// What happens to the connection unasked. For one reader; when it falls behind by 64 events the oldest are dropped.
  /// Ends after `.closed`.
  package nonisolated let events: AsyncStream<ConnectionEvent>
  /// The broker's version as it tells it, such as `3.10.8`.
  package nonisolated let serverVersion: String
  /// Whether the broker takes no more messages for now: publishing waits.
  package internal(set) var isBlocked = false

  typealias PublishWaiter = CheckedContinuation<Result<[PublishResult], AMQPError>, Never>
  typealias RequestWaiter = CheckedContinuation<Result<Reply, AMQPError>, Never>

  enum Phase {
    case open
    /// The broker was told goodbye and has until the deadline to answer. The error says why, `nil`: on request.
    case closing(AMQPError?, deadline: ContinuousClock.Instant)
    case ended(AMQPError?)
  }

  static let eventLimit = 64
  let options: ConnectionOptions
  let checks: PublishingChecks
  let thread: ConnectionThread
  let eventSink: AsyncStream<ConnectionEvent>.Continuation

  var phase = Phase.open
  /// `nil` once the connection has ended.
  var handle: BrokerHandle?
  var confirms: Confirms<PublishWaiter>
  /// A waiter of `nil`: nobody waits for that answer.
  var requests = PendingRequests<RequestWaiter?>()
  var assembler: FrameAssembler
  var unsettled = UnsettledDeliveries()
  var consumers: [String: ConsumerEntry] = [:]
  var sharedInboxes: [ObjectIdentifier: DeliveryInbox] = [:]
  var staged = StagedDeliveries()
  var lastConsumer = 0
  /// When the library was last asked for frames.
  var lastRead = ContinuousClock.now
  var silence: Silence
  var closeWaiters: [CheckedContinuation<Void, Never>] = []

  struct ConsumerEntry {
    let inbox: DeliveryInbox
    let isShared: Bool
  }

  /// Connects, logs in, and opens the channel.
  ///
  /// - Throws: `.cannotConnect`, `.handshake`, `.accessRefused`, `.tlsFailed` or `.timedOut`.
  package static func open(_ url: BrokerURL, options: ConnectionOptions) async throws(AMQPError) -> Connection {
    guard let thread = ConnectionThread(name: "amqp \(options.name)") else {
      throw .cannotConnect(host: url.host, port: url.port, reason: "this process has no file descriptors left")
    }
    let handshake = Handshake(url: url, options: options)
    let outcome: Result<Handshake.Outcome, AMQPError> = await withCheckedContinuation { continuation in
      thread.call { continuation.resume(returning: Result { () throws(AMQPError) in try handshake.perform() }) }
    }
    let agreed: Handshake.Outcome
    do throws(AMQPError) {
      agreed = try outcome.get()
    } catch {
      thread.stop()
      throw error
    }
    let connection = Connection(thread: thread, agreed: agreed, options: options)
    thread.setTurn { [weak connection] isReadable in connection?.assumeIsolated { $0.turn(isReadable) } }
    try await connection.prepare()
    return connection
  }

  private init(thread: ConnectionThread, agreed: Handshake.Outcome, options: ConnectionOptions) {
    self.thread = thread
    self.options = options
    handle = agreed.handle
    serverVersion = agreed.serverVersion
    checks = PublishingChecks(options, user: agreed.handle.user)
    confirms = Confirms(messageLimit: options.unconfirmedMessages, byteLimit: options.unconfirmedBytes)
    assembler = FrameAssembler(bodyLimit: options.bodyLimit)
    let heartbeat = agreed.handle.heartbeat
    silence = Silence(
      heartbeat: heartbeat, margin: Self.regularWait(heartbeat: heartbeat, options: options), since: .now)
    (events, eventSink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.eventLimit))
  }

  deinit {
    for entry in consumers.values { entry.inbox.finish(droppingRest: true) }
    for inbox in sharedInboxes.values { inbox.finish(droppingRest: true) }
    eventSink.finish()
    thread.stop()
  }

  private func prepare() async throws(AMQPError) {
    _ = try await request(.openChannel)
    _ = try await request(.selectConfirms)
  }
}

extension Connection {
  /// Closes the connection and waits until it is closed. May be called again.
  ///
  /// Flushes nothing: a publishing without a confirm throws `.connectionLost`, any other call that waits throws
  /// `.closed`. Take the answers first.
  package func close() async {
    switch phase {
    case .ended: return
    case .open: beginClosing(nil)
    case .closing: break
    }
    guard handle != nil else { return }
    await withCheckedContinuation { closeWaiters.append($0) }
  }

  /// The handle of an open connection.
  func openHandle() throws(AMQPError) -> BrokerHandle {
    switch phase {
    case .closing(let error, _), .ended(let error): throw error ?? .closed
    case .open:
      guard let handle else { throw .closed }
      return handle
    }
  }

  /// Does something with the handle; its failure ends the connection.
  func sending<Value>(_ body: (BrokerHandle) throws(AMQPError) -> Value) throws(AMQPError) -> Value {
    let handle = try openHandle()
    do throws(AMQPError) {
      return try body(handle)
    } catch {
      if case .invalid = error { throw error }
      end(error)
      throw error
    }
  }

  /// Sends a request and waits for its answer.
  func request(_ request: Request) async throws(AMQPError) -> Reply {
    try sending { handle throws(AMQPError) in try handle.send(request) }
    return try await answer(to: request)
  }

  /// Waits for the answer to a request that was just sent.
  func answer(to request: Request) async throws(AMQPError) -> Reply {
    let answer = await withCheckedContinuation { (waiter: RequestWaiter) in
      expect(request, waiter: waiter)
    }
    return try answer.get()
  }

  /// Notes that the broker owes an answer.
  func expect(_ request: Request, waiter: RequestWaiter?) {
    requests.append(request, deadline: .now + options.rpcTimeout, waiter: waiter)
  }
}
