extension Connection {
  /// Publishes a message, persistent and mandatory, and waits for the broker's answer to it. The answer to a message that the
  /// broker does not take is `.refused`.
  ///
  /// Waits for room in the window of unconfirmed messages first, behind earlier calls. Also waits while the broker has
  /// blocked the connection, and while the broker has been silent for so long that it may be dead. The wait for the answer
  /// has no limit of its own: a quorum queue without a majority answers once it has a majority again. The end of the
  /// connection and `close()` end the wait.
  ///
  /// - Throws: `.invalid` before anything was sent. With any other error the message may or may not have arrived.
  package nonisolated(nonsending) func publish(_ message: Publishing) async throws(AMQPError) -> PublishResult {
    try await publish(contentsOf: [message])[0]
  }

  /// Publishes messages in their order and waits for the answers to all of them: one suspension for any number.
  ///
  /// - Returns: the answers, in the order of the messages.
  /// - Throws: as for a single message. If one message is `.invalid`, no message is sent.
  package nonisolated(nonsending) func publish(
    contentsOf messages: [Publishing]
  ) async throws(AMQPError) -> [PublishResult] {
    try await answers(to: PublishCall(messages, checkedBy: checks, isTransient: false))
  }

  /// Publishes a message that may be lost, and returns once the socket has it.
  ///
  /// Waits only for room among the unconfirmed transient messages, and while the broker may be dead. Overtakes durable
  /// messages that wait for room in their own window.
  ///
  /// - Throws: `.invalid`, or the reason why the connection has ended.
  package nonisolated(nonsending) func publish(_ message: TransientPublishing) async throws(AMQPError) {
    try await publish(contentsOf: [message])
  }

  /// Publishes messages that may be lost in their order, and returns once the socket has all of them.
  ///
  /// - Throws: as for a single message. If one message is `.invalid`, no message is sent.
  package nonisolated(nonsending) func publish(contentsOf messages: [TransientPublishing]) async throws(AMQPError) {
    _ = try await answers(to: PublishCall(messages.map(Publishing.init), checkedBy: checks, isTransient: true))
  }

  /// As ``publish(contentsOf:)-([Publishing])``, but a cancelled task waits no longer: its messages that were not sent are
  /// not sent any more. Those that were sent may arrive.
  ///
  /// - Throws: `AMQPError` as for a single message, or `CancellationError`.
  package nonisolated(nonsending) func publishUnlessCancelled(
    contentsOf messages: [Publishing]
  ) async throws -> [PublishResult] {
    let call = try PublishCall(messages, checkedBy: checks, isTransient: false)
    let results = try await withTaskCancellationHandler {
      try await answers(to: call)
    } onCancel: {
      thread.call { self.assumeIsolated { $0.withdraw(call) } }
    }
    if results.isEmpty && !messages.isEmpty { throw CancellationError() }
    return results
  }

  /// Publishes as ``publish(contentsOf:)-([Publishing])`` does, and does not wait: `then` is told the answers, on the thread of
  /// the connection. It must be quick, and may publish.
  ///
  /// - Throws: `.invalid`, and then `then` is not called.
  package nonisolated func publish(
    contentsOf messages: [Publishing], then: @escaping @Sendable (Result<[PublishResult], AMQPError>) -> Void
  ) throws(AMQPError) {
    hand(try PublishCall(messages, checkedBy: checks, isTransient: false), PublishWaiter(tell: then))
  }

  /// Publishes messages that may be lost, as ``publish(contentsOf:)-([TransientPublishing])`` does, and does not wait. A
  /// durable message that this connection publishes after them overtakes them where they have to wait for room.
  ///
  /// - Throws: `.invalid`, and then nothing is sent.
  package nonisolated func publishSoon(contentsOf messages: [TransientPublishing]) throws(AMQPError) {
    let messages = messages.map(Publishing.init)
    hand(try PublishCall(messages, checkedBy: checks, isTransient: true), PublishWaiter { _ in })
  }

  /// How many calls wait for room to send their messages in.
  package var waitingCalls: Int { confirms.waitingCalls }
}

extension Connection {
  private nonisolated(nonsending) func answers(to call: PublishCall) async throws(AMQPError) -> [PublishResult] {
    let answer = await withCheckedContinuation { continuation in
      hand(call, PublishWaiter { continuation.resume(returning: $0) })
    }
    return try answer.get()
  }

  /// Sends a small call from this thread while the connection's own thread only waits. Else that thread sends it.
  private nonisolated func hand(_ call: PublishCall, _ waiter: PublishWaiter) {
    let waiter = waiter.with(call.isTransient ? [] : call.refused, besides: call.messages.count)
    if call.isTransient {
      for one in call.refused {
        eventSink.yield(.refused(RefusedTransient(one.message, text: one.result.refusal ?? "")))
      }
    }
    if call.isSmall, thread.borrow({ assumeIsolated { $0.takeAtOnce(call, waiter) } }) { return }
    thread.call { self.assumeIsolated { $0.take(call, waiter) } }
  }

  /// - Returns: false: the send could have to wait, and nothing was done.
  private func takeAtOnce(_ call: PublishCall, _ waiter: PublishWaiter) -> Bool {
    guard let handle, !isBlocked, maySendBorrowed(handle) else { return false }
    take(call, waiter)
    return true
  }

  /// The connection's turn sends the messages. It follows the call that runs now.
  private func take(_ call: PublishCall, _ waiter: PublishWaiter) {
    do throws(AMQPError) {
      _ = try openHandle()
    } catch {
      return waiter.tell(.failure(error))
    }
    guard !call.messages.isEmpty, call.begin(confirms.nextNumber) else { return waiter.tell(.success([])) }
    confirms.enqueue(call.messages, sizes: call.sizes, isTransient: call.isTransient, waiter: waiter)
  }

  private func withdraw(_ call: PublishCall) {
    // Withdrawn messages have no results.
    guard let number = call.withdraw() else { return }
    confirms.withdraw(number)?.tell(.success([]))
  }
}
