import AMQP

/// Where a consumer of a stream begins. To a queue it means nothing.
package enum StreamStart: Hashable, Sendable {
  case first
  /// With what was stored last: one message, or as many as were stored in one go.
  case last
  /// With the first message that is stored from now on.
  case next
  /// With the message of that number, from 0. Where the stream is shorter: once it has that many.
  case offset(Int)
}

/// A consumer of a stream.
struct StreamReading: Sendable {
  let stream: String
  /// The number of the message that is next.
  var next: Int
  /// How many deliveries it may get before an ack; nil: any number, and none is acked. Some versions overdraw it.
  var credit: Int?
}

// Streams. What comes at the same time may be stored in one go. Nobody takes a message out.
extension ModelBroker {
  mutating func storeInStream(_ message: ModelMessage, _ name: String) {
    var message = message
    if message.number <= publishedAtLastStore[name] ?? 0, chance(50) { message.isStoredWithLast = true }
    streams[name]?.append(message)
    publishedAtLastStore[name] = lastNumber
  }

  /// The broker is killed. Of what it had not confirmed a stream has the first ones: they come to disk in their order.
  mutating func storeSomeInStreams() {
    for name in streams.keys.sorted() {
      let open = unstored.values.filter { $0.stream == name }.map { $0.message }.sorted { $0.number < $1.number }
      guard !open.isEmpty else { continue }
      let kept = open.prefix(Int.random(in: 0...open.count, using: &random))
      for message in kept { storeInStream(message, name) }
      keptUnconfirmed += kept.count
    }
  }

  mutating func consumeStream(_ name: String, _ tag: String, _ prefetch: Int, from start: StreamStart, on line: Int) {
    say(.consuming(tag: tag), line)
    let next = place(of: start, in: streams[name] ?? [])
    lines[line]?.streams[tag] = StreamReading(stream: name, next: next, credit: prefetch == 0 ? nil : prefetch)
    deliverStream(name)
  }

  private func place(of start: StreamStart, in stream: [ModelMessage]) -> Int {
    switch start {
    case .first: 0
    case .last: stream.lastIndex { !$0.isStoredWithLast } ?? 0
    case .next: stream.count
    case .offset(let number): number
    }
  }

  /// A stream's consumer has everything from its place on, as far as its credit goes. Of several any may be the first.
  mutating func deliverStream(_ name: String) {
    for id in lines.keys.sorted() {
      var tags = (lines[id]?.streams ?? [:]).filter { $0.value.stream == name }.keys.sorted()
      if tags.count > 1 { tags.shuffle(using: &random) }
      for tag in tags {
        while deliverNext(to: tag, on: id) {}
      }
    }
  }

  /// - Returns: false: the consumer has all that it may have.
  private mutating func deliverNext(to tag: String, on id: Int) -> Bool {
    guard let reading = lines[id]?.streams[tag], let stream = streams[reading.stream],
      stream.indices.contains(reading.next), mayGet(stream[reading.next], reading)
    else { return false }
    let message = stream[reading.next]
    lines[id]?.streams[tag]?.next += 1
    let deliveryTag = reading.credit == nil ? 0 : spendCredit(of: tag, for: message, from: reading.stream, on: id)
    var delivery = ModelBroker.delivery(of: message, tag: deliveryTag, to: tag)
    delivery.properties.headers["x-stream-offset"] = .int(Int64(reading.next))
    say(.delivery(delivery), id)
    return true
  }

  private func mayGet(_ message: ModelMessage, _ reading: StreamReading) -> Bool {
    guard let credit = reading.credit else { return true }
    return credit > 0 || manner.deliversWhatWasStoredAtOnce && message.isStoredWithLast
  }

  /// - Returns: the tag of the delivery.
  private mutating func spendCredit(
    of tag: String, for message: ModelMessage, from stream: String, on id: Int
  ) -> UInt64 {
    lines[id]?.lastTag += 1
    let deliveryTag = lines[id]?.lastTag ?? 0
    lines[id]?.unacked[deliveryTag] = (stream, tag, message)
    lines[id]?.streams[tag]?.credit? -= 1
    return deliveryTag
  }
}
