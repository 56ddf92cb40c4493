/// What a message says about itself beside its body.
///
/// Every text may have at most 255 bytes of UTF-8: AMQP writes them as short strings.
package struct MessageProperties: Sendable, Hashable {
  package var contentType: String?
  package var contentEncoding: String?
  package var headers: FieldTable = [:]
  /// 2 for persistent, 1 for transient. Read from deliveries; publishing sets its own.
  package var deliveryMode: UInt8?
  package var priority: UInt8?
  package var correlationID: String?
  package var replyTo: String?
  /// Milliseconds in decimal digits, as AMQP wants it.
  package var expiration: String?
  package var messageID: String?
  /// Seconds since 1970 in UTC, as the publisher's clock has it.
  package var timestamp: UInt64?
  package var type: String?
  /// Who published it. Read from deliveries, where the broker has made sure of it; publishing sets the connection's own,
  /// unless ``ConnectionOptions/namesUser`` is false.
  package var userID: String?
  package var appID: String?
  /// What of a delivery's properties could not be read. Empty for properties made here; never sent.
  package var problems: [PropertyProblem] = []

  /// Whether the publisher asked for the message to survive a restart of the broker.
  package var isPersistent: Bool { deliveryMode == 2 }

  package init(
    contentType: String? = nil, contentEncoding: String? = nil, headers: FieldTable = [:], priority: UInt8? = nil,
    correlationID: String? = nil, replyTo: String? = nil, expiration: String? = nil, messageID: String? = nil,
    timestamp: UInt64? = nil, type: String? = nil, userID: String? = nil, appID: String? = nil
  ) {
    self.contentType = contentType
    self.contentEncoding = contentEncoding
    self.headers = headers
    self.priority = priority
    self.correlationID = correlationID
    self.replyTo = replyTo
    self.expiration = expiration
    self.messageID = messageID
    self.timestamp = timestamp
    self.type = type
    self.userID = userID
    self.appID = appID
  }
}

/// A part of a delivery's properties that could not be read as it was sent.
package enum PropertyProblem: Sendable, Hashable, CustomStringConvertible {
  /// That property is not UTF-8 and therefore missing here.
  case notUTF8(property: String)
  /// A header's key is not UTF-8; that header is missing here.
  case headerKeyNotUTF8
  /// A header has no name; that header is missing here.
  case emptyHeaderKey
  /// Headers nest deeper than `ConnectionOptions.headerDepth`; what is deeper is missing here.
  case headersTooDeep(limit: Int)
  /// There are more header values than `ConnectionOptions.headerEntries`; the rest is missing here.
  case tooManyHeaders(limit: Int)
  /// The headers have more bytes than `ConnectionOptions.headerBytes`; the rest is missing here.
  case headersTooLarge(limit: Int)

  package var description: String {
    switch self {
    case .notUTF8(let property): "\(property) is not UTF-8"
    case .headerKeyNotUTF8: "a header's name is not UTF-8"
    case .emptyHeaderKey: "a header has an empty name"
    case .headersTooDeep(let limit): "headers nest deeper than \(limit) levels"
    case .tooManyHeaders(let limit): "there are more than \(limit) header values"
    case .headersTooLarge(let limit): "the headers have more than \(limit) bytes"
    }
  }
}
