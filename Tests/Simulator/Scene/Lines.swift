import AMQP
import JobTransport

// Connections.
extension World {
  /// One connection.
  final class Line {
    let id: Int
    /// It holds its lines, and lives as long as the world that they are in. ``World/end()`` empties the agenda before
    /// it lets go of the processes: what was to happen to a line would outlive its process.
    unowned let node: Node
    let life: Int
    /// When the last thing arrives, in each direction: what is sent later arrives later.
    var lastUp: Duration = .zero
    var lastDown: Duration = .zero
    /// Nothing gets through in either direction.
    var isCut = false
    /// Its process is about to die, and says nothing more.
    var isMute = false
    /// The client knows that it is over.
    var isOver = false
    /// What the broker has not read, for an alarm.
    var unread: [BrokerRequest] = []

    init(_ id: Int, _ node: Node) { (self.id, self.node, life) = (id, node, node.life) }
  }

  /// How long a message is under way: mostly no time, sometimes long.
  private func latency() -> Duration {
    let draw = number(0...999)
    if draw < 985 - 10 * slowness { return span(20...600) }
    if draw < 985 - slowness { return span(600...20_000) }
    return span(20_000...900_000)
  }

  func open(_ node: Node) -> Line {
    lastLine += 1
    let line = Line(lastLine, node)
    lines[line.id] = line
    broker.open(line.id)
    trace.say(now, node.name, "opens line \(line.id)")
    return line
  }

  func send(_ request: BrokerRequest, on line: Line) {
    guard !line.isCut, !line.isOver, !line.isMute || request.isEnd else { return }
    guard let delay = aimed(at: request.sort, .up, line) else { return }
    var request = request
    if hasUsers, case .publish(var message, let number) = request {
      message.properties.userID = line.node.user
      request = .publish(message, number: number)
    }
    let time = max(line.lastUp, now + delay + latency())
    line.lastUp = time
    after(time - now, nil, "reads \(request.words) of \(line.node.name)") { [self] in
      if !line.isCut { read(request, on: line) }
    }
  }

  private func read(_ request: BrokerRequest, on line: Line) {
    if !line.unread.isEmpty || !broker.reads(request, on: line.id) {
      line.unread.append(request)
      return takeOutput()
    }
    broker.receive(request, on: line.id, at: now)
    takeOutput()
  }

  func readOn() {
    for line in lines.values.sorted(by: { $0.id < $1.id }) {
      while let first = line.unread.first, broker.reads(first, on: line.id) {
        line.unread.removeFirst()
        broker.receive(first, on: line.id, at: now)
      }
    }
    takeOutput()
  }

  /// Sends what the broker has said on its way.
  func takeOutput() {
    for output in broker.takeOutput() {
      switch output {
      case .frame(let frame, let id): if let line = lines[id] { deliver(frame, on: line) }
      case .settle(let message, let delay):
        after(delay, nil, "stores a message") { [self] in
          broker.settle(message, at: now)
          takeOutput()
        }
      }
    }
  }

  private func deliver(_ frame: BrokerFrame, on line: Line) {
    guard !line.isCut, line.node.life == line.life else { return }
    let delay = aimed(at: frame.sort, .down, line) ?? .zero
    let time = max(line.lastDown, now + delay + latency())
    line.lastDown = time
    after(time - now, line.node, "gets \(frame.words)") { [self] in
      guard !line.isCut, !line.isOver else { return }
      if case .closed(let error) = frame { return try lose(line, error) }
      try await line.node.receive(frame, on: line)
    }
  }

  /// The client learns that a connection is over.
  func lose(_ line: Line, _ error: AMQPError) throws {
    guard !line.isOver else { return }
    trace.say(now, line.node.name, "loses line \(line.id): \(error)")
    line.isOver = true
    lines[line.id] = nil
    try line.node.lost(line, error)
  }

  /// The client ends a connection that is of no use to it.
  func abandon(_ line: Line, _ error: AMQPError) throws {
    send(.hangUp, on: line)
    try lose(line, error)
  }

  /// The client ends a connection: what it has sent arrives before.
  func hangUp(_ line: Line) {
    guard !line.isOver else { return }
    trace.say(now, line.node.name, "hangs up line \(line.id)")
    send(.hangUp, on: line)
    line.isOver = true
  }

  /// Nothing gets through any more. Each side notices it by itself, or by silence.
  func cut(_ line: Line, broker: Duration, client: Duration) {
    guard !line.isCut else { return }
    line.isCut = true
    after(broker, nil, "misses \(line.node.name)") { [self] in
      lines[line.id] = nil
      self.broker.end(line.id, at: now)
      takeOutput()
    }
    after(client, line.node, "misses the broker") { [self] in
      try lose(line, .connectionLost(reason: "silence"))
    }
  }

  func lines(of node: Node) -> [Line] {
    lines.values.filter { $0.node === node && $0.life == node.life && !$0.isOver && !$0.isCut }
      .sorted { $0.id < $1.id }
  }
}
