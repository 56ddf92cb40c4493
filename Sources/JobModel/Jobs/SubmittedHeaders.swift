/// The headers of a submission that are its submitter's own: handed through to the handler untouched. Each is a text under a
/// name that does not begin with `teller-`.
package enum SubmittedHeaders {
  /// The most headers of a job.
  package static let most = 32
  /// The most bytes of all names and values together: each release of the job carries them.
  package static let mostBytes = 4_096
  /// The beginning of Teller's own headers.
  package static let reservedPrefix = "teller-"
  /// The longest name, in bytes, as AMQP has it.
  package static let longestName = 128

  /// Whether RabbitMQ reads the header, as a further address of the message, or writes it: when it delivers the message
  /// again, or moves it.
  package static func isOfBroker(_ name: String) -> Bool {
    name == "CC" || name == "BCC" || prefixesOfBroker.contains { name.hasPrefix($0) }
  }

  private static let prefixesOfBroker = [
    "x-delivery-count", "x-acquired-count", "x-death", "x-first-death-", "x-last-death-", "x-opt-",
  ]

  /// What is wrong with the headers, for people; nil: nothing.
  package static func problem(of headers: [String: String]) -> String? {
    if headers.isEmpty { return nil }
    if headers.count > most {
      return "there are \(headers.count) headers of the submitter's own, and at most \(most) go"
    }
    let size = headers.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    if size > mostBytes { return "the submitter's own headers have \(size) bytes, and at most \(mostBytes) go" }
    if let name = headers.keys.filter(isOfBroker).min() {
      return "header \(name): RabbitMQ has a use of its own for it; take another name"
    }
    if let name = headers.keys.filter({ $0.hasPrefix(reservedPrefix) }).min() {
      return "header \(name): names that begin with \(reservedPrefix) are Teller's own"
    }
    let wrong = headers.keys.filter { $0.isEmpty || $0.utf8.count > longestName }.min()
    return wrong.map { name in
      "a header's name has 1–\(longestName) bytes, and \"\(name.prefix(longestName))\" has \(name.utf8.count)"
    }
  }
}

extension JobContent {
  /// Whether it has headers, among which may be those of a tracer.
  package var isTraced: Bool { !headers.isEmpty || trace != TraceContext() }

  /// Whether both have the same headers and the same trace, byte for byte: then one message can carry them.
  package func hasHeaders(of other: JobContent) -> Bool {
    let others = other.headers
    return trace.isExactly(other.trace) && headers.count == others.count
      && headers.allSatisfy { name, value in
        others.index(forKey: name).map { others[$0].key.isExactly(name) && others[$0].value.isExactly(value) } ?? false
      }
  }

  /// The submitter's own headers, and those of its trace.
  package var allHeaders: [String: String] {
    guard trace != TraceContext() else { return headers }
    var all = headers
    if let traceparent = trace.traceparent { all["traceparent"] = traceparent }
    if let tracestate = trace.tracestate { all["tracestate"] = tracestate }
    return all
  }
}
