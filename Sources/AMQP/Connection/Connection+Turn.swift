extension Connection {
  /// How many frames one turn reads at most: calls and sends come in between.
  private static let framesPerTurn = 1024
  /// How often within a heartbeat interval the library is called, so that it can send one in time.
  private static let turnsPerHeartbeat = 4
  /// How long the broker may take to answer a goodbye. Short: nothing depends on it.
  private static let farewellLimit = Duration.seconds(3)

  /// One round of the connection's thread: reads what has come, sends what may go, gives up what is late.
  ///
  /// - Parameter isReadable: whether something may have come from the socket.
  /// - Returns: what to wait for; `nil` when the connection has ended.
  func turn(_ isReadable: Bool) -> ConnectionThread.Wait? {
    guard let handle else { return nil }
    do throws(AMQPError) {
      if isReadable || handle.hasBufferedFrames || isReadDue { try readFrames() }
      try sendPublishings()
      try checkDeadlines()
    } catch {
      end(error)
    }
    staged.handOver()
    guard self.handle != nil else { return nil }
    let isBusy = handle.hasBufferedFrames || canSendPublishings
    return ConnectionThread.Wait(descriptor: handle.descriptor, timeout: isBusy ? .zero : timeUntilNextTurn)
  }

  /// Whether the library has not been asked for frames for so long that a heartbeat may be due: whoever is woken often
  /// enough never waits that long for the socket. And once the broker's own may be missing it is asked at each turn.
  private var isReadDue: Bool {
    lastRead.duration(to: .now) >= regularWait || silence.needsReading(at: .now)
  }

  /// Reads what the socket has, once, and the frames in it.
  func readFrames() throws(AMQPError) {
    lastRead = .now
    let now = SuspendingClock.now
    // Before the read: the library reads heartbeats too, and does not tell of them.
    if silence.asksForInput(at: now), handle?.hasInput == true { silence.input(at: now) }
    for _ in 0..<Self.framesPerTurn {
      guard let handle else { return }
      guard try handle.readFrame({ incoming throws(AMQPError) in try receive(incoming) }) else { return }
      silence.frame(at: now)
      // To ask the socket again would mostly find nothing, for two system calls: `poll` says when there is more.
      guard handle.hasBufferedFrames else { return }
    }
  }

  private var timeUntilNextTurn: Duration {
    guard let deadline = nextDeadline else { return regularWait }
    return max(.zero, min(regularWait, deadline - .now))
  }

  private var regularWait: Duration { silence.margin }

  /// How long a turn waits for the socket at most.
  static func regularWait(heartbeat: Duration, options: ConnectionOptions) -> Duration {
    let interval = heartbeat == .zero ? options.heartbeat : min(heartbeat, options.heartbeat)
    return max(interval / turnsPerHeartbeat, .milliseconds(50))
  }

  private var nextDeadline: ContinuousClock.Instant? {
    if case .closing(_, let deadline) = phase { return deadline }
    // A blocked broker does not read requests: that is not its fault.
    return isBlocked ? nil : requests.deadline
  }

  private func checkDeadlines() throws(AMQPError) {
    guard let deadline = nextDeadline, deadline <= .now else { return }
    switch phase {
    case .closing(let error, _): end(error)
    case .open: throw .timedOut(operation: requests.first?.description ?? "a request")
    case .ended: break
    }
  }
}

extension Connection {
  /// Ends what waits, says goodbye to the broker, and gives it a moment to answer.
  func beginClosing(_ error: AMQPError?) {
    guard case .open = phase, let handle else { return }
    phase = .closing(error, deadline: .now + Self.farewellLimit)
    failEverything(error)
    do throws(AMQPError) {
      try handle.sendClose()
    } catch {
      // The socket is broken: there is nobody left to say goodbye to.
      if case .closing(let reason, _) = phase { end(reason) }
    }
  }

  /// The connection is over. The first error stays: what follows from it is not news.
  func end(_ error: AMQPError?) {
    var reason = error
    switch phase {
    case .ended: return
    case .closing(let first, _): reason = first
    case .open: failEverything(error)
    }
    phase = .ended(reason)
    handle = nil
    eventSink.yield(.closed(reason))
    eventSink.finish()
    for waiter in closeWaiters { waiter.resume() }
    closeWaiters.removeAll()
  }

  private func failEverything(_ error: AMQPError?) {
    let lost = error ?? .connectionLost(reason: "this process closed it before the broker had answered")
    for waiter in confirms.removeAll() { waiter.resume(returning: .failure(lost)) }
    for waiter in requests.removeAll() { waiter?.resume(returning: .failure(error ?? .closed)) }
    staged.drop()
    for entry in consumers.values { entry.inbox.finish(droppingRest: true) }
    for inbox in sharedInboxes.values { inbox.finish(droppingRest: true) }
    consumers.removeAll()
    sharedInboxes.removeAll()
  }
}
