import AMQP
import TestSupport

/// A message in the model broker.
package struct ModelMessage: Sendable {
  let number: Int
  let exchange: String
  let routingKey: String
  let properties: MessageProperties
  let body: [UInt8]
  let isPersistent: Bool
  var isRedelivered = false
  /// In a stream: it was stored in one go with the message before it.
  var isStoredWithLast = false
  /// The broker has taken responsibility for it: a crash does not lose it.
  var isSafe: Bool
  /// Nil: it never expires.
  var expiresAt: Duration?
}

/// One queue of the model broker. What the documentation leaves open is chosen by whoever asks.
struct ModelQueue: Sendable {
  struct Consumer: Sendable {
    let line: Int
    let tag: String
    let prefetch: Int
    var outstanding = 0

    var hasRoom: Bool { prefetch == 0 || outstanding < prefetch }
  }

  let declaration: QueueDeclaration
  /// The connection that alone may use it; nil: it is not exclusive.
  let owner: Int?
  /// By level, from the lowest. The last one of a quorum queue has what came back: it goes before everything else.
  var levels: [[ModelMessage]]
  private let manner: Manner
  var consumers: [Consumer] = []
  /// Acked a moment ago: a crash of the broker may bring them back.
  var acked: [ModelMessage] = []

  /// A policy of whoever runs the broker.
  var policy: LengthLimit?

  /// How many acks a crash may undo at most.
  static let mostUndone = 8

  init(_ declaration: QueueDeclaration, owner: Int?, _ manner: Manner) {
    self.manner = manner
    self.declaration = declaration
    self.owner = declaration.isExclusive ? owner : nil
    let isQuorum = declaration.arguments.type == .quorum
    levels = Array(
      repeating: [], count: isQuorum ? manner.quorumLevels + 1 : Int(declaration.arguments.maxPriority ?? 0) + 1)
  }

  var isQuorum: Bool { declaration.arguments.type == .quorum }
  var isSingleActive: Bool { declaration.arguments.singleActiveConsumer == true }
  var count: Int { levels.reduce(0) { $0 + $1.count } }
  var isFull: Bool { limit.map { count >= $0.most } ?? false }
  /// Whether a full queue takes no further message, and drops none.
  var isRejecting: Bool { limit?.rejects ?? false }

  /// What holds: a policy goes before what the queue was declared with.
  private var limit: LengthLimit? {
    policy
      ?? declaration.arguments.maxLength.map {
        LengthLimit(most: $0, rejects: declaration.arguments.overflow == .rejectPublish)
      }
  }

  /// How many messages a queue may have.
  struct LengthLimit: Sendable {
    let most: Int
    let rejects: Bool
  }

  private func level(of message: ModelMessage) -> Int {
    guard !isQuorum else { return manner.quorumLevel(of: message.properties.priority) }
    return min(Int(message.properties.priority ?? 0), levels.count - 1)
  }

  mutating func append(_ message: ModelMessage) { levels[level(of: message)].append(message) }

  /// What comes back goes to its own place in its level; in a quorum queue behind what came back before.
  mutating func putBack(_ messages: [ModelMessage]) {
    if isQuorum { return levels[levels.count - 1] += messages }
    for message in messages {
      let level = level(of: message)
      levels[level].insert(message, at: levels[level].firstIndex { $0.number > message.number } ?? levels[level].count)
    }
    dropOverflow()
  }

  /// Drops what has expired, as far as it is at the head: at some time, and before that it may still be delivered.
  mutating func expire(at now: Duration, _ random: inout SeededRandom) {
    while let index = head, let end = levels[index].first?.expiresAt, end <= now, Bool.random(using: &random) {
      levels[index].removeFirst()
    }
  }

  /// The level that is next.
  private var head: Int? { levels.lastIndex { !$0.isEmpty } }

  /// A queue that has more than it may drops at its head: the oldest one of the highest level. What comes back counts, too.
  mutating func dropOverflow() {
    guard let limit, !limit.rejects else { return }
    while count > limit.most, let head { levels[head].removeFirst() }
  }

  /// Takes the next message that may be delivered: a quorum queue has one only once it is safe.
  mutating func takeNext(at now: Duration, _ random: inout SeededRandom) -> ModelMessage? {
    expire(at: now, &random)
    guard var index = head else { return nil }
    // Of two levels either may go first: none starves.
    if isQuorum, index == 1, levels.count == 3, !levels[0].isEmpty, Bool.random(using: &random) { index = 0 }
    if isQuorum, let first = levels[index].first, !first.isSafe { return nil }
    return levels[index].removeFirst()
  }

  /// The consumers that may get a message now: with one at a time the first one alone.
  var ready: [Int] {
    if isSingleActive { return consumers.first.map { $0.hasRoom ? [0] : [] } ?? [] }
    return consumers.indices.filter { consumers[$0].hasRoom }
  }

  /// A consumer is gone. Where one at a time is served, any of the others is the next one.
  mutating func remove(at index: Int, _ random: inout SeededRandom) {
    consumers.remove(at: index)
    guard isSingleActive, index == 0, let next = consumers.indices.randomElement(using: &random) else { return }
    consumers.swapAt(0, next)
  }

  /// A consumer has one delivery less in its hands.
  mutating func free(_ tag: String, of line: Int) {
    if let index = consumers.firstIndex(where: { $0.line == line && $0.tag == tag }) {
      consumers[index].outstanding -= 1
    }
  }

  mutating func markSafe(_ number: Int) {
    for level in levels.indices {
      if let index = levels[level].firstIndex(where: { $0.number == number }) { levels[level][index].isSafe = true }
    }
  }

  mutating func noteAcked(_ message: ModelMessage) {
    acked.append(message)
    if acked.count > ModelQueue.mostUndone { acked.removeFirst() }
  }
}
