import AMQP

// What goes wrong.
extension ModelBroker {
  /// Closes a connection because of what was asked on it. What is outstanding on it has no answer.
  mutating func close(_ line: Int, _ error: AMQPError, at now: Duration) {
    guard lines[line] != nil else { return }
    say(.closed(error), line)
    end(line, at: now)
  }

  /// The broker has noticed the end of a connection: what was un-acked on it goes back.
  package mutating func end(_ line: Int, at now: Duration) {
    guard let gone = lines.removeValue(forKey: line) else { return }
    var back: [String: [ModelMessage]] = [:]
    for (_, delivered) in gone.unacked.sorted(by: { $0.key < $1.key }) {
      var message = delivered.message
      message.isRedelivered = true
      back[delivered.queue, default: []].append(message)
    }
    for (name, messages) in back { queues[name]?.putBack(messages) }
    for name in queues.keys.sorted() {
      while let index = queues[name]?.consumers.firstIndex(where: { $0.line == line }) {
        queues[name]?.remove(at: index, &random)
      }
      if queues[name]?.owner == line { delete(name) }
    }
    for name in queues.keys.sorted() { deliver(name, at: now) }
  }

  /// The broker is killed, and comes back with what was on its disk: what it had confirmed, and of the rest what chance
  /// leaves, in each queue and each stream the first ones. Acks of a moment ago may be undone. Every message of a
  /// classic queue counts as redelivered.
  package mutating func crash() {
    for line in lines.keys.sorted() {
      for (_, delivered) in (lines[line]?.unacked ?? [:]).sorted(by: { $0.key < $1.key }) {
        var message = delivered.message
        message.isRedelivered = true
        queues[delivered.queue]?.putBack([message])
      }
      say(.closed(.connectionLost(reason: "the broker is gone")), line)
    }
    lines = [:]
    for name in queues.keys.sorted() { crash(name) }
    storeSomeInStreams()
    bindings.removeAll { queues[$0.queue] == nil && streams[$0.queue] == nil }
    forgetUnsettled()
    isAlarmed = false
  }

  private mutating func crash(_ name: String) {
    guard var queue = queues[name], queue.declaration.isDurable, !queue.declaration.isExclusive else {
      return queues[name] = nil
    }
    let undone = queue.acked.suffix(Int.random(in: 0...queue.acked.count, using: &random))
    queue.putBack(undone.filter(\.isPersistent))
    let unsafe = queue.levels.joined().filter { $0.isPersistent && !$0.isSafe }.map(\.number).sorted()
    let kept = Set(unsafe.prefix(Int.random(in: 0...unsafe.count, using: &random)))
    for index in queue.levels.indices {
      queue.levels[index] = queue.levels[index].filter { $0.isPersistent && ($0.isSafe || kept.contains($0.number)) }
      for place in queue.levels[index].indices {
        queue.levels[index][place].isSafe = true
        if !queue.isQuorum { queue.levels[index][place].isRedelivered = true }
      }
    }
    queue.consumers = []
    queue.acked = []
    queues[name] = queue
  }

  /// The broker has lost its disk: nothing is left.
  package mutating func wipe() {
    for line in lines.keys.sorted() { say(.closed(.connectionLost(reason: "the broker is gone")), line) }
    (lines, queues, streams, exchanges, bindings) = ([:], [:], [:], [:], [])
    claim = nil
    forgetUnsettled()
    isAlarmed = false
  }

  package mutating func purge(_ name: String) {
    guard let queue = queues[name] else { return }
    queues[name]?.levels = queue.levels.map { _ in [] }
  }

  /// A policy limits a queue, which drops at its head or takes nothing more; nil: it does so no longer.
  mutating func limit(_ name: String, by policy: ModelQueue.LengthLimit?) {
    queues[name]?.policy = policy
    queues[name]?.dropOverflow()
  }

  /// Deletes a queue, with its messages.
  package mutating func remove(_ name: String) { delete(name) }

  package mutating func setAlarmed(_ isAlarmed: Bool) {
    self.isAlarmed = isAlarmed
    guard !isAlarmed else { return }
    for line in lines.keys.sorted() where lines[line]?.isBlocked == true {
      lines[line]?.isBlocked = false
      say(.unblocked, line)
    }
  }

  /// Whether the broker reads this from a connection now. In an alarm it reads on until the connection publishes, also
  /// where that has published before. Then it says that the connection is blocked, and reads only the header of the
  /// message, and nothing behind it. A message without a body ends with its header, and is taken.
  package mutating func reads(_ request: BrokerRequest, on line: Int) -> Bool {
    guard isAlarmed, let state = lines[line] else { return true }
    if state.isBlocked { return false }
    guard case .publish(let message, _) = request else { return true }
    lines[line]?.isBlocked = true
    say(.blocked, line)
    return message.body.isEmpty
  }
}
