import AMQP
import JobTransport
import Simulator
import TestSupport

/// One thing that is done to a broker.
enum ConformanceStep: Hashable, Sendable {
  /// By way of which exchange a message comes: the default one by the queue's name, one that is bound, one that is bound
  /// with another key, or none that is there.
  enum Way: Hashable, Sendable, CaseIterable { case byName, bound, otherKey, missing }

  case publish(line: Int, text: String, priority: UInt8, isPersistent: Bool, isGoneAtOnce: Bool, Way)
  case consume(line: Int, tag: String, prefetch: Int, from: StreamStart)
  case cancel(line: Int, tag: String)
  /// Of the deliveries that the line has, the oldest is 0.
  case ack(line: Int, [Int])
  case requeue(line: Int, Int)
  case reject(line: Int, Int)
  /// The connection ends, and another one begins.
  case hangUp(line: Int)
  /// The same without a goodbye.
  case lose(line: Int)
  case delete(line: Int)
  /// The broker is short of memory from now on, or no longer.
  case alarm(isOn: Bool)
}

/// What can be seen after a step, once nothing is on its way any more.
struct Seen: Hashable, Sendable {
  struct Message: Hashable, Sendable {
    let text: String
    let isRedelivered: Bool
    let consumer: String
    /// Its number in a stream.
    let offset: Int64?
  }

  /// Held: the broker says that it reads nothing from this line.
  enum Result: Hashable, Sendable { case confirmed, nacked, returned, closed, held }

  /// What each line got, in its order.
  var deliveries: [[Message]]
  /// The answers to publishings, by line.
  var results: [Int: Result] = [:]
  /// How many messages wait.
  var waiting: Int
}

/// A queue and its exchange, on which a program is run.
struct ConformanceQueue: Hashable, Sendable {
  static let lines = 3

  let name: String
  let arguments: QueueArguments
  let kind: ExchangeDeclaration.Kind
  /// A quorum queue says how many messages wait only after a while, and in a stream none waits.
  var isCounted: Bool { arguments.type == .classic }
  var isStream: Bool { arguments.type == .stream }
  var exchange: ExchangeDeclaration { ExchangeDeclaration("\(name).exchange", kind: kind) }
  var declaration: QueueDeclaration { QueueDeclaration(name, arguments: arguments) }
  var binding: QueueBinding { QueueBinding(queue: name, exchange: exchange.name, key: kind == .topic ? "a.#" : "a.b") }

  /// One of those that Teller declares: by levels, for one consumer at a time, with a limit, or a stream. A certain one
  /// leaves it open whose a message is, and never whether somebody gets it: so nothing that is on its way is taken for
  /// something that does not come.
  init(_ name: String, _ random: inout SeededRandom, isCertain: Bool = false) {
    self.name = name
    var arguments = QueueArguments(type: .classic)
    switch Int.random(in: 0...6, using: &random) {
    case 0, 1: arguments.maxPriority = 9
    case 5, 6: arguments = QueueArguments(type: .stream)
    case 2 where !isCertain:
      arguments = QueueArguments(type: .quorum)
      arguments.singleActiveConsumer = true
      arguments.deliveryLimit = 1_000_000
    case 3:
      arguments.maxLength = 3
      arguments.overflow = .rejectPublish
    default:
      arguments.maxLength = 3
      arguments.maxPriority = Bool.random(using: &random) ? 9 : nil
    }
    self.arguments = arguments
    kind = [.direct, .fanout, .topic].randomElement(using: &random) ?? .direct
  }

  func publishing(_ text: String, _ priority: UInt8, isGoneAtOnce: Bool, _ way: ConformanceStep.Way) -> Publishing {
    // Nothing that Teller sends to a quorum queue expires.
    let properties = MessageProperties(priority: priority, expiration: isGoneAtOnce && isCounted ? "0" : nil)
    let (exchange, key) =
      switch way {
      case .byName: ("", name)
      case .bound: (exchange.name, "a.b")
      case .otherKey: (exchange.name, "c.d")
      case .missing: ("\(name).missing", "a.b")
      }
    return Publishing(exchange: exchange, routingKey: key, properties: properties, body: Array(text.utf8))
  }
}

/// Chooses the steps of a program one by one, by what its lines have.
struct ConformanceProgram {
  var random: SeededRandom
  /// The consumers of each line.
  private var consumers: [[String]] = Array(repeating: [], count: ConformanceQueue.lines)
  private var count = 0
  private(set) var steps: [ConformanceStep] = []
  private var isAlarmed = false
  /// The lines that the broker does not read now. It gets acks on them alone.
  private var blocked: Set<Int> = []

  /// Whether queues are deleted, and made anew.
  var isDeleting = true
  /// Whether the queue is a stream. Then every message is answered before the next one, so that each is stored by
  /// itself; nothing is given back; and a line has one consumer, since the order among several is open.
  var isStream = false
  /// Whether the broker raises alarms. Then no message expires: from a line that is not read nobody can ask whether a
  /// message has expired or is on its way.
  var hasAlarms = false

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  /// The lines that the broker reads.
  private var free: [Int] { (0..<ConformanceQueue.lines).filter { !blocked.contains($0) } }
  /// How many lines may be blocked: what comes when the alarm is over must not have many outcomes.
  private var mostBlocked: Int { isStream ? 2 : 1 }

  /// - Parameter held: How many deliveries each line has.
  /// - Returns: What is to be done next.
  mutating func next(_ held: [Int]) -> ConformanceStep {
    let step = some(held)
    steps.append(step)
    return step
  }

  /// All connections have ended.
  mutating func forgetConsumers() { consumers = consumers.map { _ in [] } }

  private mutating func some(_ held: [Int]) -> ConformanceStep {
    if hasAlarms, Int.random(in: 0..<8, using: &random) == 0 { return alarm(!isAlarmed) }
    let line = free.randomElement(using: &random) ?? 0
    let settling = held.indices.filter { held[$0] > 0 }.randomElement(using: &random)
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<40: return publish(line)
    case 40..<58: return consume(line)
    case 58..<64: if let tag = consumers[line].first { return cancel(line, tag) }
    case 64..<80: if let line = settling { return .ack(line: line, some(of: held[line])) }
    case 80..<91: if let line = settling { return giveBack(line, held[line]) }
    case 91..<97:
      consumers[line] = []
      return isStream && Bool.random(using: &random) ? .lose(line: line) : .hangUp(line: line)
    // Nobody deletes the quorum queues and streams of Teller.
    default:
      if !isDeleting || !blocked.isEmpty { break }
      forgetConsumers()
      return .delete(line: line)
    }
    return publish(line)
  }

  private mutating func giveBack(_ line: Int, _ held: Int) -> ConformanceStep {
    if isStream || blocked.contains(line) { return .ack(line: line, some(of: held)) }
    return Int.random(in: 0..<11, using: &random) < 8
      ? .requeue(line: line, index(held)) : .reject(line: line, index(held))
  }

  private mutating func alarm(_ isOn: Bool) -> ConformanceStep {
    isAlarmed = isOn
    if !isOn { blocked = [] }
    return .alarm(isOn: isOn)
  }

  private mutating func index(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  private mutating func some(of held: Int) -> [Int] {
    let chosen = (0..<held).filter { _ in Bool.random(using: &random) }
    return chosen.isEmpty ? [index(held)] : chosen
  }

  private mutating func publish(_ line: Int) -> ConformanceStep {
    if isAlarmed, blocked.count == mostBlocked { return alarm(false) }
    if isAlarmed { blocked.insert(line) }
    count += 1
    let draw = Int.random(in: 0..<20, using: &random)
    let way: ConformanceStep.Way = draw < 10 ? .byName : draw < 17 ? .bound : draw < 19 ? .otherKey : .missing
    if way == .missing { consumers[line] = [] }
    let isRouted = way == .byName || way == .bound
    // A message without a body is taken in an alarm, too.
    let isEmpty = isAlarmed && isRouted && Int.random(in: 0..<3, using: &random) == 0
    return .publish(
      line: line, text: isEmpty ? "" : "m\(count)", priority: UInt8.random(in: 0...10, using: &random),
      isPersistent: isStream || !isRouted || Int.random(in: 0..<4, using: &random) > 0,
      isGoneAtOnce: !hasAlarms && Int.random(in: 0..<10, using: &random) == 0, way)
  }

  private mutating func consume(_ line: Int) -> ConformanceStep {
    guard consumers[line].count < (isStream ? 1 : 2) else { return publish(line) }
    count += 1
    consumers[line].append("c\(count)")
    // What was held comes at once, and some versions overdraw a prefetch then: it is seen in one piece, or in two.
    let prefetch = isStream && hasAlarms ? 1_000 : Int.random(in: 1...3, using: &random)
    return .consume(line: line, tag: "c\(count)", prefetch: prefetch, from: isStream ? start() : .next)
  }

  /// Anywhere in the stream, or behind it.
  private mutating func start() -> StreamStart {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: .first
    case 1: .last
    case 2: .next
    default: .offset(Int.random(in: 0...count, using: &random))
    }
  }

  private mutating func cancel(_ line: Int, _ tag: String) -> ConformanceStep {
    consumers[line].removeAll { $0 == tag }
    return .cancel(line: line, tag: tag)
  }
}
