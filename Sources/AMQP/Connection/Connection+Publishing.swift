extension Connection {
  /// Publishes a message, persistent and mandatory, and waits for the broker's answer to it.
  ///
  /// Waits for room in the window of unconfirmed messages first, behind earlier calls. Also waits while the broker has
  /// blocked the connection, and while the broker has been silent for so long that it may be dead. The wait for the answer
  /// has no limit of its own: a quorum queue without a majority answers once it has a majority again. The end of the
  /// connection and `close()` end the wait.
  ///
  /// - Throws: `.invalid` before anything was sent. With any other error the message may or may not have arrived.
  package func publish(_ message: Publishing) async throws(AMQPError) -> PublishResult {
    try await publish(contentsOf: [message])[0]
  }

  /// Publishes messages in their order and waits for the answers to all of them: one suspension for any number.
  ///
  /// - Returns: the answers, in the order of the messages.
  /// - Throws: as for a single message. If one message is `.invalid`, no message is sent.
  package func publish(contentsOf messages: [Publishing]) async throws(AMQPError) -> [PublishResult] {
    _ = try openHandle()
    if messages.isEmpty { return [] }
    return try await enqueue(messages, isTransient: false)
  }

  /// Publishes a message that may be lost, and returns once the socket has it.
  ///
  /// Waits only for room among the unconfirmed transient messages, and while the broker may be dead. Overtakes others.
  ///
  /// - Throws: `.invalid`, or the reason why the connection has ended.
  package func publish(_ message: TransientPublishing) async throws(AMQPError) {
    try await publish(contentsOf: [message])
  }

  /// Publishes messages that may be lost in their order, and returns once the socket has all of them.
  ///
  /// - Throws: as for a single message. If one message is `.invalid`, no message is sent.
  package func publish(contentsOf messages: [TransientPublishing]) async throws(AMQPError) {
    _ = try openHandle()
    if messages.isEmpty { return }
    _ = try await enqueue(messages.map(Publishing.init), isTransient: true)
  }

  /// As ``publish(contentsOf:)-([Publishing])``, but a cancelled task waits no longer: its messages that were not sent are
  /// not sent any more. Those that were sent may arrive.
  ///
  /// - Throws: `AMQPError` as for a single message, or `CancellationError`.
  package func publishUnlessCancelled(contentsOf messages: [Publishing]) async throws -> [PublishResult] {
    _ = try openHandle()
    if messages.isEmpty { return [] }
    let sizes = try sizes(of: messages)
    // Nothing else runs here before the messages are in their line: the number is theirs.
    let number = confirms.nextNumber
    let results = try await withTaskCancellationHandler {
      try await answers(to: messages, sizes: sizes, isTransient: false)
    } onCancel: {
      Task { await withdraw(number) }
    }
    if results.isEmpty { throw CancellationError() }
    return results
  }

  /// How many calls wait for room to send their messages in.
  package var waitingCalls: Int { confirms.waitingCalls }

  private func withdraw(_ number: UInt64) {
    // Withdrawn messages have no results.
    confirms.withdraw(number)?.resume(returning: .success([]))
  }

  private func enqueue(_ messages: [Publishing], isTransient: Bool) async throws(AMQPError) -> [PublishResult] {
    try await answers(to: messages, sizes: try sizes(of: messages), isTransient: isTransient)
  }

  private func sizes(of messages: [Publishing]) throws(AMQPError) -> [Int] {
    var sizes: [Int] = []
    sizes.reserveCapacity(messages.count)
    for message in messages { sizes.append(try checks.size(of: message)) }
    return sizes
  }

  private func answers(
    to messages: [Publishing], sizes: [Int], isTransient: Bool
  ) async throws(AMQPError) -> [PublishResult] {
    // The connection's turn sends them. It follows the job that is running now.
    let answer = await withCheckedContinuation { (waiter: PublishWaiter) in
      confirms.enqueue(messages, sizes: sizes, isTransient: isTransient, waiter: waiter)
    }
    return try answer.get()
  }
}
