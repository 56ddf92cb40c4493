/// The method frame that begins a message from the broker.
enum MessageHead: Sendable, Hashable {
  case delivery(DeliveryHead)
  case returned(ReturnedMessage)
}

struct DeliveryHead: Sendable, Hashable {
  let consumerTag: String
  let deliveryTag: UInt64
  let isRedelivered: Bool
  let exchange: String
  let routingKey: String
}

struct ReturnedMessage: Sendable, Hashable {
  let code: UInt16
  let text: String
  let exchange: String
  let routingKey: String
}

/// A message put together from its frames.
struct AssembledMessage: Sendable, Hashable {
  let head: MessageHead
  let properties: MessageProperties
  let body: Delivery.Body
  /// Of a body over the limit.
  var beginning: [UInt8] = []
}

/// Puts messages together. A message is a method, a header, and body frames until the size in the header is reached.
///
///           begin          header               body, not the last
///     idle ──────▶ header ───────▶ body ──────────────────────────▶ body
///      ▲             │ of size 0     │ the last
///      └─────────────┴───────────────┘ complete
///
/// A pure value. A body above the limit is counted and skipped, but for its beginning; nothing else is allocated for it.
struct FrameAssembler {
  /// The broker sent a frame that is not allowed in this phase.
  struct UnexpectedFrame: Error, Hashable {
    let found: String
    let expected: String
  }

  private enum Phase {
    case idle
    case header(MessageHead)
    case body(MessageHead, MessageProperties, declared: UInt64)
  }

  private let bodyLimit: UInt64
  private var phase = Phase.idle
  private var received: UInt64 = 0
  // Beside the phase and not in it: an array in the payload of an enum is copied when it grows.
  private var bytes: [UInt8] = []

  init(bodyLimit: Int) {
    self.bodyLimit = UInt64(max(0, bodyLimit))
  }

  mutating func begin(_ head: MessageHead) throws(UnexpectedFrame) {
    guard case .idle = phase else { throw unexpected("a new message") }
    phase = .header(head)
  }

  mutating func header(_ properties: MessageProperties, bodySize: UInt64) throws(UnexpectedFrame) -> AssembledMessage? {
    guard case .header(let head) = phase else { throw unexpected("a message header") }
    received = 0
    bytes = []
    if bodySize <= bodyLimit { bytes.reserveCapacity(Int(bodySize)) }
    phase = .body(head, properties, declared: bodySize)
    return finishIfComplete()
  }

  mutating func body(_ fragment: UnsafeRawBufferPointer) throws(UnexpectedFrame) -> AssembledMessage? {
    guard case .body(_, _, let declared) = phase else { throw unexpected("a message body") }
    guard UInt64(fragment.count) <= declared - received else { throw unexpected("a body longer than announced") }
    received += UInt64(fragment.count)
    if declared <= bodyLimit {
      bytes.append(contentsOf: fragment)
    } else if bytes.count < Delivery.beginningLimit {
      bytes.append(contentsOf: fragment.prefix(Delivery.beginningLimit - bytes.count))
    }
    return finishIfComplete()
  }

  private mutating func finishIfComplete() -> AssembledMessage? {
    guard case .body(let head, let properties, let declared) = phase, received == declared else { return nil }
    phase = .idle
    let body = bytes
    bytes = []
    if declared > bodyLimit {
      return AssembledMessage(
        head: head, properties: properties, body: .overLimit(declaredSize: declared), beginning: body)
    }
    return AssembledMessage(head: head, properties: properties, body: .bytes(body))
  }

  private func unexpected(_ found: String) -> UnexpectedFrame {
    let expected =
      switch phase {
      case .idle: "a method"
      case .header: "a message header"
      case .body: "the rest of a message body"
      }
    return UnexpectedFrame(found: found, expected: expected)
  }
}
