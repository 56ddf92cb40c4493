/// The properties of a message: everything beside its body.
///
/// Every text may have at most 255 bytes of UTF-8: AMQP writes it as a short string.
package struct MessageProperties: Sendable, Hashable {
  package var contentType: String?
  package var contentEncoding: String?
  package var headers: FieldTable = [:]
  /// 2 for persistent, 1 for transient. Read from deliveries. A publishing does not use it: its type decides.
  package var deliveryMode: UInt8?
  package var priority: UInt8?
  package var correlationID: String?
  package var replyTo: String?
  /// Milliseconds in decimal digits: AMQP defines a text.
  package var expiration: String?
  package var messageID: String?
  /// Seconds since 1970 in UTC by the publisher's clock.
  package var timestamp: UInt64?
  package var type: String?
  /// The user who published the message. The broker has checked it in a delivery. A publishing names the connection's
  /// user instead, unless ``ConnectionOptions/namesUser`` is false.
  package var userID: String?
  package var appID: String?
  /// The parts of a delivery's properties that could not be read. Never sent; empty for properties made here.
  package var problems: [PropertyProblem] = []

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

/// A part of a delivery's properties that could not be read. A publishing over a limit is refused in the same words.
package enum PropertyProblem: Sendable, Hashable, CustomStringConvertible {
  /// That property is not UTF-8. It is missing here.
  case notUTF8(property: String)
  /// A header's key is not UTF-8. That header is missing here.
  case headerKeyNotUTF8
  /// Two headers have names that differ in their bytes and are the same text to Unicode. Only the second is read.
  case headerKeysAlike
  /// A header has no name. That header is missing here.
  case emptyHeaderKey
  /// Headers nest deeper than `HeaderLimits.depth`. The deeper tables and arrays are missing here.
  case headersTooDeep(limit: Int)
  /// There are more header values than `HeaderLimits.entries`. The rest is missing here.
  case tooManyHeaders(limit: Int)
  /// The headers have more bytes than `HeaderLimits.bytes`. The rest is missing here.
  case headersTooLarge(limit: Int)

  package var description: String {
    switch self {
    case .notUTF8(let property): "\(property) is not UTF-8"
    case .headerKeyNotUTF8: "a header's name is not UTF-8"
    case .headerKeysAlike: "two headers have names that Unicode takes for one"
    case .emptyHeaderKey: "a header has an empty name"
    case .headersTooDeep(let limit): "headers nest deeper than \(limit) levels"
    case .tooManyHeaders(let limit): "there are more than \(limit) header values"
    case .headersTooLarge(let limit): "the headers have more than \(limit) bytes"
    }
  }
}
