package import AMQP
package import JobModel

/// Reports, claims, adoptions and fences as messages of `teller.reports`; the property `type` says which.
package enum ReportCodec {
  private enum MessageType {
    static let succeeded = "succeeded"
    static let failed = "failed"
    static let claims = "claims"
    static let dropped = "dropped"
    static let adopt = "adopt"
    static let fence = "fence"
  }

  /// The end of an attempt: the body is the handler's result, or `{"error", "message"}`.
  package static func encode(_ report: Report) -> Publishing {
    var properties = MessageProperties(
      correlationID: CorrelationWords.text(
        report.ledger, report.release.number, report.token, Int(report.startedAgo.microseconds),
        Int(report.ran.microseconds)),
      messageID: report.job.description, appID: report.worker.text)
    switch report.result {
    case .succeeded(let result, let contentType):
      properties.type = MessageType.succeeded
      properties.contentType = contentType
      return publishing(properties, body: result)
    case .failed(let failure, let isPermanent):
      properties.type = MessageType.failed
      properties.contentType = WireJSON.contentType
      properties.headers[Header.permanent] = .bool(isPermanent)
      return publishing(properties, body: FailureBody.encode(failure))
    }
  }

  /// A worker's claims of deliveries: one message for every `ClaimRequest.batchLimit` of them, in their order.
  package static func encode(_ claims: [ClaimRequest]) -> [Publishing] {
    let properties = MessageProperties(contentType: WireJSON.contentType, type: MessageType.claims)
    return claims.pieces(of: ClaimRequest.batchLimit).flatMap(sameOrigin).compactMap { piece in
      guard let first = piece.first else { return nil }
      let document = ClaimsDocument(worker: first.worker, ledger: first.ledger, piece)
      return publishing(properties, body: WireJSON.encodePlain(document))
    }
  }

  /// That a void release was not started.
  package static func encode(_ dropped: DroppedRelease) -> Publishing {
    var properties = MessageProperties(messageID: dropped.release.job.description, type: MessageType.dropped)
    properties.headers = [
      Header.release: .int(Int64(dropped.release.number)),
      Header.ledger: .string(dropped.ledger.text),
      Header.worker: .string(dropped.worker.text),
    ]
    return publishing(properties, body: [])
  }

  /// That a worker wants to be done with the message of a job that still runs.
  package static func encode(_ adoption: AdoptionRequest) -> Publishing {
    var properties = MessageProperties(messageID: adoption.release.job.description, type: MessageType.adopt)
    properties.headers = [
      Header.release: .int(Int64(adoption.release.number)),
      Header.token: .int(Int64(adoption.token)),
      Header.ledger: .string(adoption.ledger.text),
      Header.worker: .string(adoption.worker.text),
    ]
    return publishing(properties, body: [])
  }

  /// The coordinator's fence to itself.
  package static func encode(fence number: Int, ledger: LedgerID) -> Publishing {
    var properties = MessageProperties(type: MessageType.fence)
    properties.headers = [Header.number: .int(Int64(number)), Header.ledger: .string(ledger.text)]
    return publishing(properties, body: [])
  }

  /// What a message in `teller.reports` turned out to be. Never fails: `unreadable` says why.
  package static func decode(_ delivery: Delivery) -> ReportMessage {
    do throws(Unreadable) {
      switch delivery.properties.type {
      case MessageType.succeeded, MessageType.failed: return .report(try report(delivery))
      case MessageType.claims: return .claims(try WireJSON.decode(ClaimsDocument.self, from: delivery.body).values())
      case MessageType.dropped: return .dropped(try dropped(delivery.properties))
      case MessageType.adopt: return .adopt(try adoption(delivery.properties))
      case MessageType.fence: return try fence(delivery.properties)
      case let type?: throw Unreadable("type \(Excerpt.quoted(type)) is not known here")
      case nil: throw Unreadable("type is missing")
      }
    } catch {
      return .unreadable(error.reason)
    }
  }

  private static func publishing(_ properties: MessageProperties, body: [UInt8]) -> Publishing {
    Publishing(
      exchange: Topology.Exchange.reports, routingKey: Topology.Queue.reports, properties: properties, body: body)
  }
}

extension ReportCodec {
  private static func report(_ delivery: Delivery) throws(Unreadable) -> Report {
    let properties = delivery.properties
    let job = try Envelope.job(properties)
    let words = try CorrelationWords(properties, count: 4)
    guard let worker = properties.appID, Envelope.isIdentifier(worker) else {
      throw Unreadable("app_id is no worker's id")
    }
    return Report(
      release: ReleaseID(job: job, number: words.numbers[0]), token: words.numbers[1], ledger: words.ledger,
      worker: WorkerID(worker), startedAgo: .microseconds(words.numbers[2]), ran: .microseconds(words.numbers[3]),
      result: try result(delivery, HeaderReader(properties)))
  }

  private static func result(_ delivery: Delivery, _ headers: HeaderReader) throws(Unreadable) -> AttemptResult {
    guard delivery.properties.type == MessageType.succeeded else {
      return .failed(
        try FailureBody.decode(delivery.body), isPermanent: headers.isSet(Header.permanent))
    }
    let bytes = try Envelope.bytes(delivery)
    guard bytes.count <= Report.resultLimit else {
      throw Unreadable("the result of \(bytes.count) bytes is over the limit of \(Report.resultLimit)")
    }
    return .succeeded(result: bytes, contentType: delivery.properties.contentType)
  }

  /// Runs of claims of the same worker and ledger: a message says both once. A worker that was welcomed by another ledger
  /// may still have claims of the one before.
  private static func sameOrigin(_ claims: ArraySlice<ClaimRequest>) -> [ArraySlice<ClaimRequest>] {
    var runs: [ArraySlice<ClaimRequest>] = []
    var rest = claims
    while let first = rest.first {
      let run = rest.prefix { $0.worker == first.worker && $0.ledger == first.ledger }
      runs.append(run)
      rest = rest.dropFirst(run.count)
    }
    return runs
  }

  private static func dropped(_ properties: MessageProperties) throws(Unreadable) -> DroppedRelease {
    let release = try Envelope.release(properties)
    let headers = HeaderReader(properties)
    return try Envelope.reading { () throws(HeaderProblem) in
      DroppedRelease(
        release: release, ledger: try Envelope.ledger(headers), worker: try Envelope.worker(headers))
    }
  }

  private static func adoption(_ properties: MessageProperties) throws(Unreadable) -> AdoptionRequest {
    let release = try Envelope.release(properties)
    let headers = HeaderReader(properties)
    return try Envelope.reading { () throws(HeaderProblem) in
      AdoptionRequest(
        release: release, token: try headers.requiredCount(Header.token), ledger: try Envelope.ledger(headers),
        worker: try Envelope.worker(headers))
    }
  }

  private static func fence(_ properties: MessageProperties) throws(Unreadable) -> ReportMessage {
    let headers = HeaderReader(properties)
    return try Envelope.reading { () throws(HeaderProblem) in
      .fence(number: try headers.requiredCount(Header.number), ledger: try Envelope.ledger(headers))
    }
  }
}
