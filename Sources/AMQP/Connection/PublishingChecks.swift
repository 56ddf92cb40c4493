/// Checks messages and arguments before anything is sent. The C library notices a text that is too long only after it
/// has sent the first frame of the message, and then the connection is lost.
struct PublishingChecks: Sendable {
  let limits: HeaderLimits
  let frameMax: Int
  /// The user that every message names; `nil`: each message names the user of its own properties.
  let user: String?

  /// `agreedFrame`: the largest frame that both sides have agreed on; nil: the one of the options.
  init(_ options: ConnectionOptions, user: String? = nil, agreedFrame: Int? = nil) {
    self.user = user
    limits = options.headers
    frameMax = agreedFrame ?? options.frameMax
  }

  /// What is known of a message before it is sent.
  enum Finding: Hashable {
    /// How many bytes the message counts for in the window of unconfirmed messages.
    case size(Int)
    /// The broker would not read the message.
    case refused(PublishResult)
  }

  /// - Throws: `.invalid` for a message that no broker reads.
  func look(at message: Publishing) throws(AMQPError) -> Finding {
    let size = try propertySize(of: message)
    guard size <= frameMax else {
      return .refused(
        .refused(
          code: AMQPError.frameTooLargeCode,
          text: "the message's properties have \(size) bytes, more than the frame of \(frameMax) that the broker takes")
      )
    }
    return .size(size + message.body.count)
  }

  private func propertySize(of message: Publishing) throws(AMQPError) -> Int {
    let properties = message.properties
    try Self.checkShort(message.exchange, "the exchange's name")
    try Self.checkShort(message.routingKey, "the routing key")
    var size = try headerSize(properties.headers)
    size += try Self.checkShort(properties.contentType, "the content type")
    size += try Self.checkShort(properties.contentEncoding, "the content encoding")
    size += try Self.checkShort(properties.correlationID, "the correlation id")
    size += try Self.checkShort(properties.replyTo, "the reply-to address")
    size += try Self.checkShort(properties.expiration, "the expiration")
    size += try Self.checkShort(properties.messageID, "the message id")
    size += try Self.checkShort(properties.type, "the type")
    size += try Self.checkShort(user ?? properties.userID, "the user id")
    size += try Self.checkShort(properties.appID, "the application id")
    size += 2 + 8 + 4 + WireLimits.headerFrameOverhead  // mode and priority, timestamp, the headers' length
    return size
  }

  /// - Returns: the bytes of a short string on the wire. `name` says in an error which text it is.
  @discardableResult
  static func checkShort(_ text: String?, _ name: String) throws(AMQPError) -> Int {
    guard let text else { return 0 }
    let count = text.utf8.count
    guard count <= WireLimits.shortString else {
      throw .invalid(reason: "\(name) has \(count) bytes, more than \(WireLimits.shortString)")
    }
    return count + 1
  }

  /// Arguments of a request obey the limits of headers.
  func check(arguments: FieldTable) throws(AMQPError) { _ = try headerSize(arguments) }

  private func headerSize(_ headers: FieldTable) throws(AMQPError) -> Int {
    if headers.isEmpty { return 0 }
    var measure = TableMeasure(limits: limits)
    try measure.add(headers, depth: 1)
    return measure.wireBytes
  }
}

/// Measures a table that will be written, and refuses a table that is over the limits.
private struct TableMeasure {
  private(set) var wireBytes = 0
  private var count: HeaderCount

  init(limits: HeaderLimits) { count = HeaderCount(limits: limits) }

  mutating func add(_ table: FieldTable, depth: Int) throws(AMQPError) {
    try refuse(count.reach(depth: depth))
    for (key, value) in table {
      if key.isEmpty { try refuse(.emptyHeaderKey) }
      wireBytes += try PublishingChecks.checkShort(key, "the name of a header")
      try refuse(count.add(bytes: key.utf8.count))
      try add(value, depth: depth)
    }
  }

  private mutating func add(_ value: FieldValue, depth: Int) throws(AMQPError) {
    try refuse(count.addEntry())
    let size = try contentSize(value, depth: depth)
    wireBytes += size + 5  // the kind, and the length that some kinds have
    try refuse(count.add(bytes: size))
  }

  private mutating func contentSize(_ value: FieldValue, depth: Int) throws(AMQPError) -> Int {
    switch value {
    case .string(let text): return text.utf8.count
    case .bytes(let bytes): return bytes.count
    case .int, .double, .timestamp: return 8
    case .bool: return 1
    case .void: return 0
    case .table(let table): try add(table, depth: depth + 1)
    case .array(let values):
      try refuse(count.reach(depth: depth + 1))
      for value in values { try add(value, depth: depth + 1) }
    case .unsupported(let kind):
      throw .invalid(reason: "a header value of kind \(kind) was read from a message and cannot be written")
    }
    return 0
  }

  private func refuse(_ problem: PropertyProblem?) throws(AMQPError) {
    if let problem { throw .invalid(reason: problem.description) }
  }
}
