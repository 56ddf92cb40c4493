import AMQP
import JobTransport
import TestSupport

@testable import Simulator

/// Every state in which the model may be, after what was seen of a real broker.
struct ModelSide {
  /// From each state so many choices of chance are tried: many more than a step has outcomes.
  private static let choices: UInt64 = 160
  /// The states that are followed; with more than that a program is too vague to say anything.
  static let mostStates = 400

  private let queue: ConformanceQueue
  private var states: [ModelState]

  init(_ queue: ConformanceQueue, _ manner: Manner) {
    self.queue = queue
    states = [ModelState(queue, manner)]
  }

  /// What the model may show after this step.
  func allowed(_ step: ConformanceStep) -> Set<Seen> { Set(outcomes(of: step).map(\.seen)) }

  private func outcomes(of step: ConformanceStep) -> [(seen: Seen, state: ModelState)] {
    states.flatMap { state in
      (0..<ModelSide.choices).map { seed in
        var next = state
        return (next.perform(step, on: queue, seed: seed), next)
      }
    }
  }

  /// A real broker did that: only the states are left from which the model may have done the same.
  ///
  /// - Returns: Whether there is one.
  mutating func follow(_ step: ConformanceStep, _ seen: Seen) -> Bool {
    var next: [String: ModelState] = [:]
    for outcome in outcomes(of: step) where outcome.seen == seen { next[outcome.state.words] = outcome.state }
    guard !next.isEmpty else { return false }
    states = next.sorted { $0.key < $1.key }.prefix(ModelSide.mostStates).map(\.value)
    return true
  }

  /// The broker is killed, and comes back; the lines are new.
  mutating func crash() {
    var next: [String: ModelState] = [:]
    for state in states {
      for seed in 0..<ModelSide.choices {
        var crashed = state
        crashed.crash(seed: seed)
        next[crashed.words] = crashed
      }
    }
    states = next.sorted { $0.key < $1.key }.prefix(ModelSide.mostStates).map(\.value)
  }
}

/// The model, and what was seen of it.
private struct ModelState {
  private var broker: ModelBroker
  private var now: Duration = .zero
  private var lastNumber = 0
  /// What the broker has not read, for an alarm.
  private var unread: [Int: [BrokerRequest]] = [:]

  init(_ queue: ConformanceQueue, _ manner: Manner) {
    broker = ModelBroker(manner, seed: 0)
    openLines()
    broker.declare([queue.exchange])
    declare(queue, on: 0)
    _ = broker.takeOutput()
  }

  private mutating func openLines() { for line in 0..<ConformanceQueue.lines { broker.open(line) } }

  private mutating func declare(_ queue: ConformanceQueue, on line: Int) {
    broker.receive(.declare([queue.declaration], [queue.binding]), on: line, at: now)
  }

  mutating func crash(seed: UInt64) {
    broker.random = SeededRandom(seed: seed)
    broker.crash()
    unread = [:]
    openLines()
    _ = broker.takeOutput()
  }

  mutating func perform(_ step: ConformanceStep, on queue: ConformanceQueue, seed: UInt64) -> Seen {
    broker.random = SeededRandom(seed: seed)
    now += .milliseconds(100)
    tell(step, queue)
    var seen = Seen(deliveries: Array(repeating: [], count: ConformanceQueue.lines), waiting: 0)
    listen(&seen)
    broker.receive(.ask(queue.declaration), on: 0, at: now)
    listen(&seen)
    seen.waiting = queue.isCounted ? broker.queues[queue.name]?.count ?? 0 : 0
    return seen
  }

  private mutating func tell(_ step: ConformanceStep, _ queue: ConformanceQueue) {
    switch step {
    case .publish(let line, let text, let priority, let isPersistent, let isGoneAtOnce, let way):
      lastNumber += 1
      let message = queue.publishing(text, priority, isGoneAtOnce: isGoneAtOnce, way)
      send(.publish(message, number: isPersistent ? lastNumber : nil), on: line)
    case .consume(let line, let tag, let prefetch, let start):
      send(.consume(queue: queue.name, tag: tag, prefetch: prefetch, from: start), on: line)
    case .cancel(let line, let tag): send(.cancel(tag: tag), on: line)
    case .ack(let line, let indices): send(.ack(tags(of: line, indices)), on: line)
    case .requeue(let line, let index): send(.requeue(tags(of: line, [index])), on: line)
    case .reject(let line, let index): send(.reject(tags(of: line, [index])), on: line)
    case .hangUp(let line), .lose(let line):
      send(.hangUp, on: line)
      broker.open(line)
    case .delete(let line):
      send(.delete(queue: queue.name), on: line)
      declare(queue, on: line)
    case .alarm(let isOn):
      broker.setAlarmed(isOn)
      if !isOn { readOn() }
    }
  }

  private mutating func send(_ request: BrokerRequest, on line: Int) {
    if unread[line] == nil, broker.reads(request, on: line) { return broker.receive(request, on: line, at: now) }
    unread[line, default: []].append(request)
  }

  /// The alarm is over: what each line has said is read in its order.
  private mutating func readOn() {
    while let line = unread.keys.sorted().randomElement(using: &broker.random), var rest = unread[line] {
      broker.receive(rest.removeFirst(), on: line, at: now)
      unread[line] = rest.isEmpty ? nil : rest
    }
  }

  /// The tags of what a line has, and has not yet said anything about.
  private func tags(of line: Int, _ indices: [Int]) -> [UInt64] {
    let said = Set((unread[line] ?? []).flatMap(\.settled))
    let held = (broker.lines[line]?.unacked ?? [:]).keys.filter { !said.contains($0) }.sorted()
    return indices.filter(held.indices.contains).map { held[$0] }
  }

  /// Takes in what the broker says, until it has nothing to say.
  private mutating func listen(_ seen: inout Seen) {
    while true {
      let said = broker.takeOutput()
      if said.isEmpty { return }
      for output in said {
        switch output {
        case .settle(let message, _): broker.settle(message, at: now)
        case .frame(.delivery(let delivery), let line): seen.deliveries[line].append(Seen.Message(delivery))
        case .frame(.published(_, let result), let line): seen.results[line] = Seen.Result(result)
        case .frame(.blocked, let line): seen.results[line] = .held
        case .frame(.closed, let line):
          seen.results[line] = .closed
          broker.open(line)
        case .frame: break
        }
      }
    }
  }

  /// All that matters for what comes next.
  var words: String {
    let queues = broker.queues.sorted { $0.key < $1.key }.map { _, queue in
      "\(queue.levels.map { $0.map { "\($0.number)\($0.isRedelivered)" } }) "
        + "\(queue.consumers.map { "\($0.line)\($0.tag)\($0.outstanding)" })"
    }
    let streams = broker.streams.values.map { $0.map { "\($0.number)\($0.isStoredWithLast)" } }
    let lines = broker.lines.sorted { $0.key < $1.key }.map { _, line in
      let unacked = line.unacked.sorted { $0.key < $1.key }.map { "\($0.value.message.number)\($0.value.tag)" }
      let readings = line.streams.sorted { $0.key < $1.key }.map { tag, reading in
        "\(tag) \(reading.next) \(reading.credit ?? 0)"
      }
      return "\(unacked) \(readings) \(line.isBlocked)"
    }
    let rest = unread.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.map(\.words))" }
    return "\(queues) \(streams) \(lines) \(rest)"
  }
}

extension BrokerRequest {
  /// The tags of deliveries that it is about.
  fileprivate var settled: [UInt64] {
    switch self {
    case .ack(let tags), .requeue(let tags), .reject(let tags): tags
    default: []
    }
  }
}

extension Seen.Message {
  init(_ delivery: Delivery) {
    var text = ""
    if case .bytes(let bytes) = delivery.body { text = String(decoding: bytes, as: UTF8.self) }
    self.init(
      text: text, isRedelivered: delivery.isRedelivered, consumer: delivery.consumerTag,
      offset: delivery.properties.headers["x-stream-offset"]?.int)
  }
}

extension Seen.Result {
  init(_ result: PublishResult) {
    switch result {
    case .confirmed: self = .confirmed
    case .nacked: self = .nacked
    case .returned: self = .returned
    case .refused: self = .closed
    }
  }
}
