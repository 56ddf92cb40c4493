import Tracing

/// The ids of a span, as W3C Trace Context writes them: https://www.w3.org/TR/trace-context/
struct SpanIDs: Sendable {
  let trace: (high: UInt64, low: UInt64)
  let span: UInt64

  /// Of a new span: in the trace of its parent, or in one of its own.
  init(childOf parent: SpanIDs?) {
    trace = parent?.trace ?? (.random(in: 1 ... .max), .random(in: 1 ... .max))
    span = .random(in: 1 ... .max)
  }

  /// `version-trace-span-flags`, each a number of so many hexadecimal digits: 2, 32, 16, 2.
  init?(traceparent text: String) {
    var text = text
    let ids = text.withUTF8 { digits -> SpanIDs? in
      guard digits.count == SpanIDs.length, let high = SpanIDs.number(digits[3..<19]),
        let low = SpanIDs.number(digits[19..<35]), let span = SpanIDs.number(digits[36..<52])
      else { return nil }
      return SpanIDs(trace: (high, low), span: span)
    }
    guard let ids else { return nil }
    self = ids
  }

  private init(trace: (high: UInt64, low: UInt64), span: UInt64) { (self.trace, self.span) = (trace, span) }

  private static let length = 55

  private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> UInt64? {
    var number: UInt64 = 0
    for digit in digits {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
      default: return nil
      }
    }
    return number
  }

  var traceparent: String { "00-\(SpanIDs.hex(trace.high))\(SpanIDs.hex(trace.low))-\(SpanIDs.hex(span))-01" }

  private static func hex(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}

extension ServiceContext {
  private enum Key: ServiceContextKey {
    typealias Value = SpanIDs
  }

  var ids: SpanIDs? {
    get { self[Key.self] }
    set { self[Key.self] = newValue }
  }
}
