import Synchronization

extension Connection {
  /// Publishes a message, persistent and mandatory, and waits for the broker's answer to it.
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
  /// Waits only for room among the unconfirmed transient messages, and while the broker may be dead. Overtakes others.
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

  /// How many calls wait for room to send their messages in.
  package var waitingCalls: Int { confirms.waitingCalls }
}

extension Connection {
  private nonisolated(nonsending) func answers(to call: PublishCall) async throws(AMQPError) -> [PublishResult] {
    let answer = await withCheckedContinuation { (waiter: PublishWaiter) in hand(call, waiter) }
    return try answer.get()
  }

  /// Sends a small call from this thread while the connection's own thread only waits. Else that thread sends it.
  private nonisolated func hand(_ call: PublishCall, _ waiter: PublishWaiter) {
    if call.isSmall, thread.borrow({ assumeIsolated { $0.takeAtOnce(call, waiter) } }) { return }
    thread.call { self.assumeIsolated { $0.take(call, waiter) } }
  }

  /// - Returns: false: the send could have to wait, and nothing was done.
  private func takeAtOnce(_ call: PublishCall, _ waiter: PublishWaiter) -> Bool {
    guard let handle, !isBlocked, confirms.waitingCalls == 0, handle.hasRoomToSend else { return false }
    take(call, waiter)
    return true
  }

  /// The connection's turn sends the messages. It follows the call that runs now.
  private func take(_ call: PublishCall, _ waiter: PublishWaiter) {
    do throws(AMQPError) {
      _ = try openHandle()
    } catch {
      return waiter.resume(returning: .failure(error))
    }
    guard !call.messages.isEmpty, let number = call.begin(confirms.nextNumber) else {
      return waiter.resume(returning: .success([]))
    }
    confirms.enqueue(call.messages, sizes: call.sizes, isTransient: call.isTransient, waiter: waiter)
    assert(number + 1 == confirms.nextNumber)
  }

  private func withdraw(_ call: PublishCall) {
    // Withdrawn messages have no results.
    guard let number = call.withdraw() else { return }
    confirms.withdraw(number)?.resume(returning: .success([]))
  }
}

/// The messages of one call, checked.
final class PublishCall: Sendable {
  private enum Standing {
    case new
    case taken(UInt64)
    case withdrawn
  }

  /// So many bytes are small: a socket that can be written to at all has room for them.
  private static let smallBytes = 16 << 10

  let messages: [Publishing]
  let sizes: [Int]
  let isTransient: Bool
  private let standing = Mutex(Standing.new)

  init(_ messages: [Publishing], checkedBy checks: PublishingChecks, isTransient: Bool) throws(AMQPError) {
    var sizes: [Int] = []
    sizes.reserveCapacity(messages.count)
    for message in messages { sizes.append(try checks.size(of: message)) }
    (self.messages, self.sizes, self.isTransient) = (messages, sizes, isTransient)
  }

  var isSmall: Bool { sizes.reduce(0, +) <= PublishCall.smallBytes }

  /// - Returns: the number; nil: the call is withdrawn.
  func begin(_ number: UInt64) -> UInt64? {
    standing.withLock { standing in
      if case .withdrawn = standing { return nil }
      standing = .taken(number)
      return number
    }
  }

  /// - Returns: the number that the call began with; nil: it will not begin any more.
  func withdraw() -> UInt64? {
    standing.withLock { standing in
      guard case .taken(let number) = standing else {
        standing = .withdrawn
        return nil
      }
      return number
    }
  }
}
