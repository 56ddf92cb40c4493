extension Connection {
  /// Publishes a message, persistent and mandatory, and waits for the broker's answer to it.
  ///
  /// Waits for room in the window of unconfirmed messages first, behind earlier calls, and for as long as the broker has
  /// blocked the connection, or has been silent for so long that it may be dead. The wait for the answer has no limit of
  /// its own: a quorum queue without a majority answers once it has one again. The end of the connection, and `close()`,
  /// end it.
  ///
  /// - Throws: `.invalid` before anything was sent; any other error leaves open whether the message has arrived.
  package func publish(_ message: Publishing) async throws(AMQPError) -> PublishResult {
    try await publish(contentsOf: [message])[0]
  }

  /// Publishes messages in their order and waits for the answers to all of them: one suspension, however many.
  ///
  /// - Returns: the answers, in the order of the messages.
  /// - Throws: as for a single message; `.invalid` if any of them is, with none sent.
  package func publish(contentsOf messages: [Publishing]) async throws(AMQPError) -> [PublishResult] {
    _ = try openHandle()
    if messages.isEmpty { return [] }
    return try await enqueue(messages, isTransient: false)
  }

  /// Publishes a message that may be lost, and returns once it is handed to the socket.
  ///
  /// Waits for room among the unconfirmed ones of its own kind only, and while the broker may be dead; overtakes those
  /// that are to be confirmed.
  ///
  /// - Throws: `.invalid`, or why the connection has ended.
  package func publish(_ message: TransientPublishing) async throws(AMQPError) {
    try await publish(contentsOf: [message])
  }

  /// Publishes messages that may be lost in their order, and returns once all are handed to the socket.
  ///
  /// - Throws: as for a single one; `.invalid` if any of them is, with none sent.
  package func publish(contentsOf messages: [TransientPublishing]) async throws(AMQPError) {
    _ = try openHandle()
    if messages.isEmpty { return }
    _ = try await enqueue(messages.map(Publishing.init), isTransient: true)
  }

  private func enqueue(_ messages: [Publishing], isTransient: Bool) async throws(AMQPError) -> [PublishResult] {
    var sizes: [Int] = []
    sizes.reserveCapacity(messages.count)
    for message in messages { sizes.append(try checks.size(of: message)) }
    // Sent in this connection's turn, which follows the job that is running now.
    let answer = await withCheckedContinuation { (waiter: PublishWaiter) in
      confirms.enqueue(messages, sizes: sizes, isTransient: isTransient, waiter: waiter)
    }
    return try answer.get()
  }
}

extension Connection {
  /// How many messages are sent before what has come is read: confirms make room for more.
  private static let publishesBetweenReads = 64
  /// How many messages one turn sends at most: acks and other calls come in between.
  private static let publishesPerTurn = 512

  /// Sends the messages that the window has room for.
  func sendPublishings() throws(AMQPError) {
    guard let handle, canSendPublishings else { return }
    handle.gatherSends(true)
    defer { handle.gatherSends(false) }
    for count in 1...Self.publishesPerTurn {
      guard maySend, self.handle != nil, let outgoing = confirms.next() else { return }
      do throws(AMQPError) {
        try handle.publish(outgoing.message, isTransient: outgoing.isTransient)
      } catch {
        outgoing.waiter?.resume(returning: .failure(error))
        throw error
      }
      outgoing.waiter?.resume(returning: .success([]))
      if count % Self.publishesBetweenReads == 0 { try readFrames() }
    }
  }

  /// Whether there is something to send without waiting for anybody.
  var canSendPublishings: Bool { confirms.canSend && maySend }

  private var maySend: Bool {
    guard case .open = phase, !isBlocked else { return false }
    return !silence.isLong(at: .now)
  }
}
