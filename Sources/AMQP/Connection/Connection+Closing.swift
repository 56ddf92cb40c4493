extension Connection {
  /// How long the broker may take to answer a goodbye. Short: nothing depends on the answer.
  private static let farewellLimit = Duration.seconds(3)

  /// Closes the connection and waits until it is closed. May be called again.
  ///
  /// Does not wait for answers: a publishing without a confirm throws `.connectionLost`, any other call that waits throws
  /// `.closed`. Take the answers first.
  package func close() async {
    beginClosing(nil)
    guard handle != nil else { return }
    await withCheckedContinuation { closeWaiters.append($0) }
  }

  /// Ends every waiting call, says goodbye to the broker, and gives it a moment to answer; only if it is open.
  func beginClosing(_ reason: AMQPError?) {
    guard case .open(let handle) = phase else { return }
    // After an error of the broker the channel takes no acks. An error of the send ends the connection, and is told there.
    if reason == nil { try? sendGatheredAcks(all: true) }
    guard case .open = phase else { return }
    phase = .closing(handle, reason, deadline: .now + Self.farewellLimit)
    failEverything(reason)
    do throws(AMQPError) {
      try handle.sendClose()
    } catch {
      // The socket is broken: nobody is left to say goodbye to.
      end(error)
    }
  }

  /// The connection is over. The first error stays: later errors are its consequences.
  func end(_ error: AMQPError?) {
    var reason = error
    switch phase {
    case .ended: return
    case .closing(_, let first, _): reason = first
    case .open: failEverything(error)
    }
    phase = .ended(reason)
    eventSink.yield(.closed(reason))
    eventSink.finish()
    for waiter in closeWaiters { waiter.resume() }
    closeWaiters.removeAll()
  }

  private func failEverything(_ error: AMQPError?) {
    let lost = error ?? .connectionLost(reason: "this process closed it before the broker had answered")
    for waiter in confirms.removeAll() { waiter.tell(.failure(lost)) }
    for waiter in requests.removeAll() { waiter?.resume(returning: .failure(error ?? .closed)) }
    consumers.removeAll()
  }
}
