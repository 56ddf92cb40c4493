package import AMQP
package import JobModel

/// Packs: several replies in one message, for a reader who has named the queue so: ``isPacked(_:)``.
///
/// Each reply is a line of words,
///
///     TYPE JOB_BYTES CORRELATION_BYTES CONTENT_TYPE_BYTES BODY_BYTES
///
/// and behind it the bytes of its job's id, its correlation id, its content type and its body. `-` stands for a text that is
/// not given. TYPE and body are those of a reply that has a message of its own.
package enum ReplyPacks {
  /// The content type of a pack.
  package static let contentType = "application/vnd.teller.replies"
  /// The most replies of a pack.
  static let countLimit = 64
  /// A pack with this many bytes takes no further reply.
  static let byteLimit = 64 << 10
  /// A queue whose name begins with this is read by somebody who reads packs.
  package static let queuePrefix = "teller.reply.packed."

  package static func isPacked(_ queue: String) -> Bool { queue.hasPrefix(queuePrefix) }

  /// The messages of replies to one queue, in their order, as few as possible. A reply alone has a message as any other.
  package static func encode(_ replies: [Reply], to replyTo: String) -> [TransientPublishing] {
    guard replies.count > 1, isPacked(replyTo) else { return replies.map { ReplyCodec.encode($0, to: replyTo) } }
    var bodies: [[UInt8]] = []
    var count = 0
    for reply in replies {
      if bodies.isEmpty || count >= countLimit || bodies[bodies.count - 1].count >= byteLimit {
        bodies.append([])
        count = 0
      }
      append(ReplyCodec.encode(reply, to: replyTo), reply, to: &bodies[bodies.count - 1])
      count += 1
    }
    let properties = MessageProperties(
      contentType: contentType, expiration: String(ReplyCodec.expiration.milliseconds))
    return bodies.map {
      TransientPublishing(
        exchange: Topology.Exchange.default, routingKey: replyTo, properties: properties, body: $0)
    }
  }

  private static func append(_ message: TransientPublishing, _ reply: Reply, to body: inout [UInt8]) {
    let texts = [reply.job, reply.correlationID, message.properties.contentType].map { $0.map { Array($0.utf8) } }
    body.append(contentsOf: (message.properties.type ?? "").utf8)
    for text in texts { text.map { body.append(word: $0.count) } ?? body.append(word: nothing) }
    body.append(word: message.body.count)
    body.endLine()
    for text in texts { body += text ?? [] }
    body += message.body
  }

  /// The replies of a delivery: those of a pack, or the one. A reply with an unknown content is left out of its pack. Behind
  /// a line that cannot be read there is nothing to read.
  ///
  /// - Returns: the replies that can be read, and the first thing that cannot.
  package static func decode(_ delivery: Delivery) -> (replies: [Reply], problem: Unreadable?) {
    var replies: [Reply] = []
    var problem: Unreadable?
    do throws(Unreadable) {
      guard delivery.properties.hasContentType(contentType) else { return ([try ReplyCodec.decode(delivery)], nil) }
      var cursor = PackCursor(try Envelope.bytes(of: delivery.body))
      while !cursor.isAtEnd {
        switch try read(&cursor) {
        case .success(let reply): replies.append(reply)
        case .failure(let unreadable): problem = problem ?? unreadable
        }
      }
    } catch {
      problem = problem ?? error
    }
    return (replies, problem)
  }

  /// - Throws: when the line or its sizes cannot be read.
  private static func read(_ cursor: inout PackCursor) throws(Unreadable) -> Result<Reply, Unreadable> {
    let words = try cursor.readWords(5)
    let job = try take(words[1], &cursor)
    let correlationID = try take(words[2], &cursor)
    let contentType = try take(words[3], &cursor)
    let body = try take(words[4], &cursor) ?? []
    let type = String(decoding: words[0], as: UTF8.self)
    return Result { () throws(Unreadable) in
      try ReplyCodec.reply(
        type, job: try text(job), correlationID: try text(correlationID), contentType: try text(contentType)
      ) { Array(body) }
    }
  }

  /// As many bytes as the word says; nil: none are given.
  private static func take(
    _ word: ArraySlice<UInt8>, _ cursor: inout PackCursor
  ) throws(Unreadable) -> ArraySlice<UInt8>? {
    if word.elementsEqual(nothing.utf8) { return nil }
    guard let size = Envelope.number(word) else { throw Unreadable("its line has a number that is none") }
    return try cursor.take(size)
  }

  private static func text(_ bytes: ArraySlice<UInt8>?) throws(Unreadable) -> String? {
    guard let bytes else { return nil }
    guard let text = String(utf8: bytes) else { throw Unreadable("one of its texts is not UTF-8") }
    return text
  }

  /// The word for a text that is not given.
  private static let nothing = "-"
}
