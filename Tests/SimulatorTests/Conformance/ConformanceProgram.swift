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
  case consume(line: Int, tag: String, prefetch: Int)
  case cancel(line: Int, tag: String)
  /// Of the deliveries that the line has, the oldest is 0.
  case ack(line: Int, [Int])
  case requeue(line: Int, Int)
  case reject(line: Int, Int)
  /// The connection ends, and another one begins.
  case hangUp(line: Int)
  case delete(line: Int)
}

/// What can be seen after a step, once nothing is on its way any more.
struct Seen: Hashable, Sendable {
  struct Message: Hashable, Sendable {
    let text: String
    let isRedelivered: Bool
    let consumer: String
  }

  enum Result: Hashable, Sendable { case confirmed, nacked, returned, closed }

  /// What each line got, in its order.
  var deliveries: [[Message]]
  /// The answer to a publishing.
  var result: Result?
  /// How many messages wait.
  var waiting: Int
}

/// A queue and its exchange, on which a program is run.
struct ConformanceQueue: Hashable, Sendable {
  static let lines = 3

  let name: String
  let arguments: QueueArguments
  let kind: ExchangeDeclaration.Kind
  /// A quorum queue says how many messages wait only after a while.
  var isCounted: Bool { arguments.type == .classic }
  var exchange: ExchangeDeclaration { ExchangeDeclaration("\(name).exchange", kind: kind) }
  var declaration: QueueDeclaration { QueueDeclaration(name, arguments: arguments) }
  var binding: QueueBinding { QueueBinding(queue: name, exchange: exchange.name, key: kind == .topic ? "a.#" : "a.b") }

  /// One of those that Teller declares: by levels, for one consumer at a time, or with a limit.
  init(_ name: String, _ random: inout SeededRandom) {
    self.name = name
    var arguments = QueueArguments(type: .classic)
    switch Int.random(in: 0...4, using: &random) {
    case 0, 1: arguments.maxPriority = 9
    case 2:
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

  /// Whether queues are deleted, and made anew.
  var isDeleting = true

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

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
    let line = Int.random(in: 0..<ConformanceQueue.lines, using: &random)
    let settling = held.indices.filter { held[$0] > 0 }.randomElement(using: &random)
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<40: return publish(line)
    case 40..<58: return consume(line)
    case 58..<64: if let tag = consumers[line].first { return cancel(line, tag) }
    case 64..<80: if let line = settling { return .ack(line: line, some(of: held[line])) }
    case 80..<88: if let line = settling { return .requeue(line: line, index(held[line])) }
    case 88..<91: if let line = settling { return .reject(line: line, index(held[line])) }
    case 91..<97:
      consumers[line] = []
      return .hangUp(line: line)
    // Nobody deletes the quorum queues of Teller.
    default:
      if !isDeleting { break }
      forgetConsumers()
      return .delete(line: line)
    }
    return publish(line)
  }

  private mutating func index(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  private mutating func some(of held: Int) -> [Int] {
    let chosen = (0..<held).filter { _ in Bool.random(using: &random) }
    return chosen.isEmpty ? [index(held)] : chosen
  }

  private mutating func publish(_ line: Int) -> ConformanceStep {
    count += 1
    let draw = Int.random(in: 0..<20, using: &random)
    let way: ConformanceStep.Way = draw < 10 ? .byName : draw < 17 ? .bound : draw < 19 ? .otherKey : .missing
    if way == .missing { consumers[line] = [] }
    return .publish(
      line: line, text: "m\(count)", priority: UInt8.random(in: 0...10, using: &random),
      isPersistent: way != .byName && way != .bound || Int.random(in: 0..<4, using: &random) > 0,
      isGoneAtOnce: Int.random(in: 0..<10, using: &random) == 0, way)
  }

  private mutating func consume(_ line: Int) -> ConformanceStep {
    guard consumers[line].count < 2 else { return publish(line) }
    count += 1
    consumers[line].append("c\(count)")
    return .consume(line: line, tag: "c\(count)", prefetch: Int.random(in: 1...3, using: &random))
  }

  private mutating func cancel(_ line: Int, _ tag: String) -> ConformanceStep {
    consumers[line].removeAll { $0 == tag }
    return .cancel(line: line, tag: tag)
  }
}
