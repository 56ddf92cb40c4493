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

  init?(traceparent text: String) {
    let parts = text.split(separator: "-")
    guard parts.count == 4, parts[1].utf8.count == 32, let high = UInt64(parts[1].prefix(16), radix: 16),
      let low = UInt64(parts[1].suffix(16), radix: 16), let span = UInt64(parts[2], radix: 16)
    else { return nil }
    trace = (high, low)
    self.span = span
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
