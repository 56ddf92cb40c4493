/// A connection to a RabbitMQ broker, with one channel in confirm mode.
///
/// A connection lives once: any error but `AMQPError.invalid` ends it, and every call that waits on it throws. To go on,
/// open another connection, declare and consume again. A message without a confirm may or may not have arrived. A delivery
/// without an ack is delivered again. A message that the broker does not take has the result `PublishResult.refused`, and
/// the connection goes on.
///
/// A broker that is short of memory or disk stops reading from connections that publish: use one connection to publish,
/// and another to consume and ack. Close a connection with ``close()``. A connection ends too when its last reference goes,
/// but the broker takes that for a fault.
///
/// Cancelling the task of a call does not interrupt the call, but for `publishUnlessCancelled`: only the broker's answer tells the fate of a message. The
/// limits of a call are those of ``ConnectionOptions``.
package actor Connection {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// The events, for one reader. Of more than 64 unread ones the oldest are dropped. Ends after `.closed`.
  package nonisolated let events: AsyncStream<ConnectionEvent>
  /// The broker's version in its own words, such as `3.10.8`.
  package nonisolated let serverVersion: String
  /// Whether the broker takes no more messages for now: publishing waits.
  package internal(set) var isBlocked = false

  typealias RequestWaiter = CheckedContinuation<Result<Reply, AMQPError>, Never>

  private static let eventLimit = 64
  package nonisolated let options: ConnectionOptions
  let checks: PublishingChecks
  let thread: ConnectionThread
  let eventSink: AsyncStream<ConnectionEvent>.Continuation

  var phase: ConnectionPhase
  var closeWaiters: [CheckedContinuation<Void, Never>] = []
  var silence: Silence
  var confirms: Confirms<PublishWaiter>
  /// A waiter of `nil`: nobody waits for that answer.
  var requests = PendingRequests<RequestWaiter?>()
  var assembler: FrameAssembler
  var consumers = Consumers()
  let gatheredAcks = GatheredAcks()

  /// Connects, logs in, and opens the channel.
  ///
  /// - Throws: `.cannotConnect`, `.handshake`, `.accessRefused`, `.tlsFailed` or `.timedOut`.
  package static func open(_ url: BrokerURL, options: ConnectionOptions) async throws(AMQPError) -> Connection {
    let thread: ConnectionThread
    do throws(ConnectionThread.Shortage) {
      thread = try ConnectionThread(name: "amqp \(options.name)")
    } catch {
      throw .cannotConnect(host: url.host, port: url.port, reason: error.reason)
    }
    let handshake = Handshake(url: url, options: options)
    let outcome: Result<Handshake.Outcome, AMQPError> = await withCheckedContinuation { continuation in
      thread.call { continuation.resume(returning: Result { () throws(AMQPError) in try handshake.perform() }) }
    }
    if case .failure = outcome { thread.stop() }
    let connection = Connection(thread: thread, agreed: try outcome.get(), options: options)
    thread.setTurn { [weak connection] part in connection?.assumeIsolated { $0.turn(part) } }
    _ = try await connection.request(.openChannel)
    _ = try await connection.request(.selectConfirms)
    return connection
  }

  private init(thread: ConnectionThread, agreed: Handshake.Outcome, options: ConnectionOptions) {
    self.thread = thread
    self.options = options
    phase = .open(agreed.handle)
    serverVersion = agreed.serverVersion
    checks = PublishingChecks(options, user: agreed.handle.user, agreedFrame: agreed.handle.frameMax)
    confirms = Confirms(
      messageLimit: options.unconfirmedMessages, byteLimit: options.unconfirmedBytes,
      trials: MessageTrials(cautious: options.cautiousMessages))
    assembler = FrameAssembler(bodyLimit: options.bodyLimit)
    silence = Silence(agreed: agreed.handle.heartbeat, wanted: options.heartbeat, since: .now)
    (events, eventSink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.eventLimit))
  }

  deinit {
    consumers.removeAll()
    eventSink.finish()
    thread.stop()
  }
}

extension Connection {
  /// `nil` once the connection has ended.
  var handle: BrokerHandle? { phase.handle }

  /// The handle of an open connection.
  func openHandle() throws(AMQPError) -> BrokerHandle { try phase.openHandle() }

  /// Uses the handle of an open connection. Any error of the use but `.invalid` ends the connection.
  func sending<Value>(_ body: (BrokerHandle) throws(AMQPError) -> Value) throws(AMQPError) -> Value {
    let handle = try openHandle()
    do throws(AMQPError) {
      return try body(handle)
    } catch {
      if case .invalid = error {} else { end(error) }
      throw error
    }
  }

  /// Sends a request and waits for its answer.
  func request(_ request: Request) async throws(AMQPError) -> Reply {
    try sending { handle throws(AMQPError) in try handle.send(request) }
    return try await answer(to: request)
  }

  /// Waits for the answer to a request that was just sent.
  func answer(to request: Request, within limit: Duration? = nil) async throws(AMQPError) -> Reply {
    let answer = await withCheckedContinuation { (waiter: RequestWaiter) in
      requests.append(request, deadline: .now + (limit ?? options.rpcTimeout), waiter: waiter)
    }
    return try answer.get()
  }

  /// Returns when the broker has answered on the channel of this connection: it serves the connection, whatever others do.
  /// The answer comes behind what the broker has written before.
  ///
  /// - Throws: the reason why the connection has ended; `.timedOut` after ``ConnectionOptions/pingTimeout``.
  package func ping() async throws(AMQPError) {
    // To ask for confirms again changes nothing.
    try sending { handle throws(AMQPError) in try handle.send(.selectConfirms) }
    _ = try await answer(to: .selectConfirms, within: options.pingTimeout)
  }
}
