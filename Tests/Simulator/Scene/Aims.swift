import AMQP
import AuditSupport
import JobTransport

/// A fault that waits for its moment: a message of one sort is on its way to or from a process of one sort, and then
/// something happens to the process or to its connections. What falls between two messages is hit that way, where a
/// fault at any time would hardly ever hit it.
struct Aim {
  /// From the process to the broker, or from there.
  enum Way { case up, down }

  enum Shot: CaseIterable {
    /// Its connections break.
    case cut
    /// The process is killed a moment later.
    case kill
    /// The process is killed before it says that, or before it has read it.
    case killBefore
    /// The process is killed a moment later, or its connections are closed; and what it has said arrives long after that.
    case lastWords
    /// It takes long until the message arrives, and whatever comes behind it.
    case delay
    /// The process stands still for a moment.
    case freeze
    /// The broker is killed.
    case crash
  }

  let isCoordinator: Bool
  let way: Way
  let sort: String
  let shot: Shot
  /// How many of a hundred such messages are hit.
  let percent: Int
  /// How often it may still be hit.
  var left: Int

  /// How many of a hundred schedules have some.
  private static let share = 30

  static func some(_ world: World) -> [Aim] {
    guard world.chance(share) else { return [] }
    return (0..<world.number(1...2)).map { _ in one(world) }
  }

  private static func one(_ world: World) -> Aim {
    let (isCoordinator, isUp) = (world.chance(50), world.chance(60))
    let sorts: [String] =
      switch (isCoordinator, isUp) {
      case (true, true): ["answers", "answers", "probe", "void", "void", "welcome", "adopted", "assignment", "fence"]
      case (true, false): ["claims", "reports", "dropped", "returned", "adopt", "fence", "presence", "confirm"]
      case (false, true): ["claims", "claims", "reports", "dropped", "returned", "adopt", "presence", "ack", "requeue"]
      case (false, false): ["answers", "assignment", "probe", "void", "adopted", "staffing", "welcome", "confirm"]
      }
    return Aim(
      isCoordinator: isCoordinator, way: isUp ? .up : .down, sort: world.some(of: sorts) ?? "answers",
      shot: world.some(of: Shot.allCases) ?? .cut, percent: world.some(of: [8, 30, 100]) ?? 30,
      left: world.number(1...4))
  }
}

/// Messages of some sorts are always long under way in a schedule: what several messages decide together takes its
/// time, and more comes between them.
struct SlowSorts {
  private let longest: [String: Int]

  static let none = SlowSorts(longest: [:])
  /// How many of a hundred schedules have some.
  private static let share = 20

  static func some(_ world: World) -> SlowSorts {
    guard world.chance(share) else { return none }
    var longest: [String: Int] = [:]
    for sort in ["fence", "answers", "probe", "void", "assignment"] where world.chance(40) {
      longest[sort] = world.number(100...1_200)
    }
    // No worker is silent for a lease because of that.
    for sort in ["presence", "claims"] where world.chance(40) { longest[sort] = world.number(100...600) }
    return SlowSorts(longest: longest)
  }

  /// How much longer than usual a message of this sort is under way.
  func delay(of sort: String, _ world: World) -> Duration {
    guard let longest = longest[sort] else { return .zero }
    return .milliseconds(world.number(0...longest))
  }
}

extension World {
  /// A message is about to be sent by a line, or to be delivered.
  ///
  /// - Returns: How much longer than usual it is under way; nil: it is not sent.
  func aimed(at sort: String?, _ way: Aim.Way, _ line: Line) -> Duration? {
    guard let sort, !isHealed, line.node.isAlive else { return .zero }
    let usual = way == .up ? slowSorts.delay(of: sort, self) : .zero
    for index in aims.indices where aims[index].hits(sort, way, line.node) {
      guard chance(aims[index].percent) else { continue }
      aims[index].left -= 1
      trace.say(now, "aim", "\(aims[index].shot) at \(sort) of \(line.node.name)")
      sometimes.note(.aimed)
      return shoot(aims[index].shot, line.node, way).map { $0 + usual }
    }
    return usual
  }

  private func shoot(_ shot: Aim.Shot, _ node: Node, _ way: Aim.Way) -> Duration? {
    switch shot {
    case .cut: soon(node) { [self] in cutLines(of: node) }
    case .kill: soon(node) { [self] in endAndSupervise(node) }
    case .killBefore:
      // Whatever it says in the same moment is not said either.
      for line in lines(of: node) { line.isMute = true }
      after(.zero, node, "dies") { [self] in endAndSupervise(node) }
      return way == .up ? nil : .zero
    case .lastWords:
      noteCutOff(node)
      let isKilled = chance(50)
      soon(node) { [self] in
        if isKilled { endAndSupervise(node) } else if let line = lines(of: node).first { close(line) }
      }
      return .milliseconds(number(300...3_000))
    case .delay:
      let isLong = chance(50)
      if isLong { noteCutOff(node) }
      return .milliseconds(isLong ? number(1_000...5_000) : number(50...400))
    case .freeze:
      noteCutOff(node)
      soon(node) { [self] in freeze(node, until: now + .milliseconds(number(200...7_000))) }
    case .crash:
      soon(node) { [self] in if isBrokerUp { try suffer(.killBroker) } }
    }
    return .zero
  }

  /// In a moment: the message may have arrived by then, or not.
  private func soon(_ node: Node, _ body: @escaping () throws -> Void) {
    after(span(0...3_000), node, "is hit") { [self] in if !isHealed { try body() } }
  }

  /// What a worker runs may run again: it may be silent for longer than its lease.
  private func noteCutOff(_ node: Node) {
    guard let worker = node as? WorkerNode else { return }
    cutOffs.append(CutOff(pid: worker.pid, from: moment, until: moment + .seconds(21)))
  }

  private func endAndSupervise(_ node: Node) {
    guard node.isAlive else { return }
    node.end()
    superviseSoon(node)
  }
}

extension Aim {
  fileprivate func hits(_ sort: String, _ way: Way, _ node: Node) -> Bool {
    left > 0 && way == self.way && sort == self.sort
      && (isCoordinator ? node is CoordinatorNode : node is WorkerNode)
  }
}

extension BrokerRequest {
  var isEnd: Bool { if case .hangUp = self { true } else { false } }

  /// What is aimed at.
  var sort: String? {
    switch self {
    case .publish(let message, _): Topology.sort(of: message.properties.type, by: message.exchange)
    case .ack: "ack"
    case .requeue: "requeue"
    case .declare, .ask, .delete, .consume, .cancel, .reject, .hangUp: nil
    }
  }
}

extension BrokerFrame {
  /// What is aimed at.
  var sort: String? {
    switch self {
    case .delivery(let delivery): Topology.sort(of: delivery.properties.type, by: delivery.exchange)
    case .published: "confirm"
    case .declared, .counted, .deleted, .consuming, .cancelled, .ended, .blocked, .unblocked, .closed: nil
    }
  }
}

extension Topology {
  /// The type of an assignment is the kind of its job.
  fileprivate static func sort(of type: String?, by exchange: String) -> String? {
    exchange == Exchange.jobs ? "assignment" : type
  }
}
