import AMQP
import JobModel

/// Assignments and reports as earlier versions wrote them: a header for each number, and a message for each report. They
/// may be left in queues when coordinator and workers are replaced, so they are still read; they are written no more.
enum EarlierForms {
  private static let attempt = "teller-attempt"
  /// Whether another attempt cannot help.
  private static let permanent = "teller-permanent"
  /// Microseconds from the start of the attempt to the sending of its report.
  private static let startedAgo = "teller-started-ago-us"
  /// How long the handler ran, in microseconds.
  private static let ran = "teller-ran-us"
  static let succeeded = "succeeded"
  static let failed = "failed"

  /// The numbers of an assignment, in the order of today's words; nil: it is in today's form.
  static func words(ofAssignment properties: MessageProperties) throws(Unreadable) -> CorrelationWords? {
    let headers = HeaderReader(properties)
    guard properties.correlationID == nil, headers.has(Header.release) else { return nil }
    return try Envelope.reading { () throws(HeaderProblem) in
      CorrelationWords(
        ledger: try Envelope.ledger(headers),
        numbers: [
          try headers.number(Header.epoch, in: 0...Int.max) ?? 0, try headers.requiredCount(Header.release),
          try headers.requiredCount(Header.token), try headers.requiredCount(attempt),
          try headers.requiredCount(Header.attempts),
        ])
    }
  }

  /// The report that a message is.
  static func report(_ delivery: Delivery) throws(Unreadable) -> Report {
    let release = try Envelope.release(delivery.properties)
    let headers = HeaderReader(delivery.properties)
    let result = try result(delivery, headers)
    return try Envelope.reading { () throws(HeaderProblem) in
      Report(
        release: release, token: try headers.requiredGiven(Header.token), ledger: try Envelope.ledger(headers),
        worker: try Envelope.worker(headers), startedAgo: .microseconds(try headers.requiredCount(startedAgo)),
        ran: .microseconds(try headers.requiredCount(ran)), result: result)
    }
  }

  private static func result(_ delivery: Delivery, _ headers: HeaderReader) throws(Unreadable) -> AttemptResult {
    guard delivery.properties.type == succeeded else {
      return .failed(try FailureBody.decode(delivery.body), isPermanent: headers.isSet(permanent))
    }
    return try ReportPacks.succeeded(try Envelope.bytes(of: delivery.body), delivery.properties.contentType)
  }
}
