extension Connection {
  func receive(_ incoming: Incoming) throws(AMQPError) {
    // While closing only the end matters: everybody who waited was told already.
    if case .closing(let handle, _, _) = phase { return receiveWhileClosing(incoming, handle) }
    switch incoming {
    case .message, .header, .body: try assemble(incoming)
    case .confirm(let tag, let multiple, let isAck): confirm(tag, multiple: multiple, isAck: isAck)
    case .reply(let reply): try receive(reply)
    case .consumerCancelled(let tag, let wantsAnswer):
      if wantsAnswer { try openHandle().answerCancel(tag: tag) }
      consumers.cancel(tag)
      eventSink.yield(.consumerCancelled(tag: tag))
    case .flow(let isActive): try openHandle().answerFlow(isActive: isActive)
    case .blocked(let reason):
      isBlocked = true
      eventSink.yield(.blocked(reason: reason))
    case .unblocked: unblock()
    case .channelClosed(let code, let text, let isByPublish):
      try openHandle().answerChannelClose()
      if isByPublish, try outlives(code, text) { return }
      beginClosing(.channelClosed(code: code, text: text))
    case .connectionClosed(let code, let text):
      try openHandle().answerConnectionClose()
      throw .connectionClosed(code: code, text: text)
    case .closeAnswered: throw .connectionLost(reason: "the broker said goodbye without being asked")
    case .unknown(let method): throw .connectionLost(reason: "the broker sent a method that is not expected: \(method)")
    }
  }

  private func receiveWhileClosing(_ incoming: Incoming, _ handle: BrokerHandle) {
    switch incoming {
    case .closeAnswered: end(nil)
    case .connectionClosed:
      try? handle.answerConnectionClose()
      end(nil)
    default: break
    }
  }

  /// The broker has closed the channel because of a message. If it is known which one, only that message has failed: the
  /// channel is opened again, and publishing goes on.
  ///
  /// - Returns: false: that is not known, or the channel was used for more than to publish.
  private func outlives(_ code: UInt16, _ text: String) throws(AMQPError) -> Bool {
    guard code == AMQPError.preconditionFailedCode, consumers.areNone, requests.areOnly(.selectConfirms),
      let (completions, transient) = confirms.refuseOnly(code: code, text: text)
    else { return false }
    let pings = requests.removeAll()
    try sendAgain(.openChannel, nil)
    for waiter in [nil] + pings { try sendAgain(.selectConfirms, waiter) }
    if let transient { eventSink.yield(.refused(RefusedTransient(transient, text: text))) }
    for completion in completions { completion.waiter.tell(.success(completion.results)) }
    return true
  }

  private func sendAgain(_ request: Request, _ waiter: RequestWaiter?) throws(AMQPError) {
    // Before the send: where that fails, all who wait are told.
    requests.append(request, deadline: .now + options.rpcTimeout, waiter: waiter)
    try openHandle().send(request)
  }

  private func unblock() {
    isBlocked = false
    requests.postpone(to: .now + options.rpcTimeout)
    eventSink.yield(.unblocked)
  }

  private func assemble(_ incoming: Incoming) throws(AMQPError) {
    let message: AssembledMessage?
    do throws(FrameAssembler.UnexpectedFrame) {
      switch incoming {
      case .message(let head):
        try assembler.begin(head)
        return
      case .header(let properties, let size): message = try assembler.header(properties, bodySize: size)
      case .body(let fragment): message = try assembler.body(fragment)
      default: return
      }
    } catch {
      throw .connectionLost(reason: "the broker sent \(error.found) where \(error.expected) belongs")
    }
    if let message { try receive(message) }
  }

  private func receive(_ message: AssembledMessage) throws(AMQPError) {
    switch message.head {
    case .returned(let returned): confirms.markReturned(returned, messageID: message.properties.messageID)
    case .delivery(let head): try consumers.deliver(head, message)
    }
  }

  private func confirm(_ tag: UInt64, multiple: Bool, isAck: Bool) {
    for completion in confirms.answer(tag, multiple: multiple, isAck: isAck) {
      completion.waiter.tell(.success(completion.results))
    }
  }

  private func receive(_ reply: Reply) throws(AMQPError) {
    if case .cancelled(let tag) = reply { consumers.cancel(tag) }
    do throws(PendingRequests<RequestWaiter?>.UnexpectedReply) {
      try requests.answer(reply, nextUntil: .now + options.rpcTimeout)?.resume(returning: .success(reply))
    } catch {
      let expected = error.expected?.description ?? "nothing"
      throw .connectionLost(reason: "the broker answered '\(error.reply)' to \(expected)")
    }
  }
}
