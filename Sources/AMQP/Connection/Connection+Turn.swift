extension Connection {
  /// How many frames one turn reads at most: calls and sends come in between.
  private static let framesPerTurn = 1024
  /// How many messages one turn sends at most: acks and other calls come in between.
  private static let publishesPerTurn = 512
  /// How many messages are sent between two reads: the confirms that have come make room for more.
  private static let publishesBetweenReads = 64

  /// One round of the connection's thread: reads frames, sends messages, and gives up late answers.
  ///
  /// - Parameter part: whether it reads, too, and whether the socket may have something.
  /// - Returns: what the thread waits for; `nil` when the connection has ended.
  func turn(_ part: ConnectionThread.Part) -> ConnectionThread.Wait? {
    guard let handle else { return nil }
    do throws(AMQPError) {
      if case .all(let isReadable) = part {
        if isReadable || handle.hasBufferedFrames || silence.isReadDue(at: .now) { try readFrames() }
      }
      try sendPublishings(part)
      if case .all = part {
        if case .open = phase { try sendGatheredAcks() }
        try checkDeadlines()
      }
    } catch {
      end(error)
    }
    consumers.handOver()
    guard self.handle != nil else { return nil }
    let isBusy = handle.hasBufferedFrames || canSendPublishings
    return ConnectionThread.Wait(descriptor: handle.descriptor, timeout: isBusy ? .zero : timeUntilNextTurn)
  }

  /// Asks the socket once, and reads the frames that it had.
  private func readFrames() throws(AMQPError) {
    let now = SuspendingClock.now
    silence.read(at: now)
    // Before the read: the library reads heartbeats too, and does not tell of them.
    if silence.asksForInput(at: now), handle?.hasInput == true { silence.input(at: now) }
    for _ in 0..<Self.framesPerTurn {
      guard let handle else { return }
      guard try handle.readFrame({ incoming throws(AMQPError) in try receive(incoming) }) else { return }
      silence.frame(at: now)
      // The socket mostly has no more, and a second look costs two system calls: `poll` says when it has.
      guard handle.hasBufferedFrames else { return }
    }
  }

  private func sendPublishings(_ part: ConnectionThread.Part) throws(AMQPError) {
    guard let handle, canSendPublishings else { return }
    handle.gatherSends(true)
    defer { handle.gatherSends(false) }
    for count in 1...Self.publishesPerTurn {
      guard maySend, let outgoing = confirms.next() else { return }
      do throws(AMQPError) {
        try handle.publish(outgoing.message, isTransient: outgoing.isTransient)
      } catch {
        outgoing.waiter?.tell(.failure(error))
        throw error
      }
      outgoing.waiter?.tell(.success([]))
      if case .all = part, count % Self.publishesBetweenReads == 0 { try readFrames() }
    }
  }

  /// Whether a borrowed turn may send something small: it has nothing else to send, and need not wait or read first.
  func maySendBorrowed(_ handle: BrokerHandle) -> Bool {
    confirms.waitingCalls == 0 && !silence.isReadDue(at: .now) && handle.hasRoomToSend
  }

  private var canSendPublishings: Bool { confirms.canSend && maySend }

  private var maySend: Bool {
    guard case .open = phase, !isBlocked else { return false }
    return !silence.isLong(at: .now)
  }
}

extension Connection {
  private var timeUntilNextTurn: Duration {
    let now = ContinuousClock.now
    let acks = gatheredAcks.nextLook(isExpecting: consumers.unacked.count > 0, from: now)
    guard let next = [nextDeadline, acks].compactMap(\.self).min() else { return silence.margin }
    return max(.zero, min(silence.margin, next - now))
  }

  private var nextDeadline: ContinuousClock.Instant? {
    if case .closing(_, _, let deadline) = phase { return deadline }
    // A blocked broker does not read requests. It is not late.
    return isBlocked ? nil : requests.deadline
  }

  private func checkDeadlines() throws(AMQPError) {
    guard let deadline = nextDeadline, deadline <= .now else { return }
    switch phase {
    case .closing(_, let error, _): end(error)
    case .open: throw .timedOut(operation: requests.first?.description ?? "a request")
    case .ended: break
    }
  }
}
