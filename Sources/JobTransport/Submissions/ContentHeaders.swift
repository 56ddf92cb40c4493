import AMQP
import JobModel

/// The headers of a message that go with a job's content to its handler: the W3C trace context, and the submitter's own.
enum ContentHeaders {
  static func write(_ content: JobContent, to properties: inout MessageProperties) {
    writeOwn(content, to: &properties)
    if let traceparent = content.trace.traceparent { properties.headers[Header.traceparent] = .string(traceparent) }
  }

  /// All but `traceparent`.
  static func writeOwn(_ content: JobContent, to properties: inout MessageProperties) {
    for (name, value) in content.headers { properties.headers[name] = .string(value) }
    if let tracestate = content.trace.tracestate { properties.headers[Header.tracestate] = .string(tracestate) }
  }

  /// A header that is no text is dropped: a broken trace is no reason to refuse a job.
  static func trace(_ properties: MessageProperties) -> TraceContext {
    if properties.headers.isEmpty { return TraceContext() }
    return TraceContext(
      traceparent: properties.headers[Header.traceparent]?.string,
      tracestate: properties.headers[Header.tracestate]?.string)
  }

  /// Every other header that is not Teller's: texts as they are, numbers and truth values as texts. Tables, lists and bytes
  /// are left out.
  static func own(_ properties: MessageProperties) -> [String: String] {
    if properties.headers.isEmpty { return [:] }
    return properties.headers.reduce(into: [:]) { own, header in
      guard isOwn(header.key) else { return }
      switch header.value {
      case .string(let text): own[header.key] = text
      case .int(let number): own[header.key] = String(number)
      case .double(let number): own[header.key] = String(number)
      case .bool(let flag): own[header.key] = String(flag)
      case .bytes, .timestamp, .table, .array, .void, .unsupported: break
      }
    }
  }

  /// Whether a header is the submitter's own, and neither Teller's nor the broker's.
  private static func isOwn(_ name: String) -> Bool {
    !name.hasPrefix(Header.prefix) && name != Header.traceparent && name != Header.tracestate
      && !SubmittedHeaders.isOfBroker(name)
  }
}
