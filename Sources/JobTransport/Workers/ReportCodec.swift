package import AMQP
package import JobModel

/// Reports, claims, adoptions and fences as messages of `teller.reports`; the property `type` says which.
package enum ReportCodec {
  private enum MessageType: String {
    case reports, claims, dropped, returned, adopt, fence
  }

  /// A worker's reports in their order, in as few messages as possible, each with the number of its reports.
  package static func encode(_ reports: [Report]) -> [(message: Publishing, count: Int)] {
    reports.sameOrigin { $0.worker == $1.worker && $0.ledger == $1.ledger }.flatMap { run in
      let properties = MessageProperties(
        correlationID: run.first?.ledger.text, type: MessageType.reports.rawValue, appID: run.first?.worker.text)
      return ReportPacks.write(run).map { (publishing(properties, body: $0.body), $0.count) }
    }
  }

  /// A worker's claims in their order: one message for every `ClaimRequest.batchLimit` of them.
  package static func encode(_ claims: [ClaimRequest]) -> [Publishing] {
    let properties = MessageProperties(contentType: WireJSON.contentType, type: MessageType.claims.rawValue)
    return claims.pieces(of: ClaimRequest.batchLimit).flatMap { piece in
      piece.sameOrigin { $0.worker == $1.worker && $0.ledger == $1.ledger }
    }.compactMap { piece in
      guard let first = piece.first else { return nil }
      let document = ClaimsDocument(worker: first.worker, ledger: first.ledger, piece)
      return publishing(properties, body: WireJSON.encodePlain(document))
    }
  }

  /// The message that a void release was not started.
  package static func encode(dropped: UnstartedRelease) -> Publishing {
    publishing(.dropped, of: dropped.release, dropped.ledger, dropped.worker)
  }

  /// The message that a worker has no handler for a release.
  package static func encode(returned: UnstartedRelease) -> Publishing {
    publishing(.returned, of: returned.release, returned.ledger, returned.worker)
  }

  /// The question of a worker that wants to ack the message of a job that still runs.
  package static func encode(_ adoption: AdoptionRequest) -> Publishing {
    publishing(.adopt, of: adoption.release, adoption.ledger, adoption.worker, token: adoption.token)
  }

  private static func publishing(
    _ type: MessageType, of release: ReleaseID, _ ledger: LedgerID, _ worker: WorkerID, token: Int? = nil
  ) -> Publishing {
    var properties = MessageProperties(messageID: release.job.description, type: type.rawValue)
    properties.headers = [
      Header.release: .int(Int64(release.number)), Header.ledger: .string(ledger.text),
      Header.worker: .string(worker.text),
    ]
    properties.headers[Header.token] = token.map { .int(Int64($0)) }
    return publishing(properties, body: [])
  }

  /// The coordinator's fence to itself.
  package static func encode(fence number: Int, ledger: LedgerID) -> Publishing {
    var properties = MessageProperties(type: MessageType.fence.rawValue)
    properties.headers = [Header.number: .int(Int64(number)), Header.ledger: .string(ledger.text)]
    return publishing(properties, body: [])
  }

  /// The property `type` of reports.
  package static let reportsType = MessageType.reports.rawValue

  /// Reads a message of `teller.reports`: several reports, or one of the others. Never fails: what cannot be used has the
  /// reason.
  package static func decode(_ delivery: Delivery) -> [ReportMessage] {
    guard let type = delivery.properties.type.flatMap(MessageType.init) else {
      return [.unreadable(Unreadable(type: delivery.properties.type).reason)]
    }
    do throws(Unreadable) {
      switch type {
      case .reports: return try reports(delivery)
      case .claims: return try claims(delivery)
      case .dropped: return [.dropped(try unstarted(delivery.properties))]
      case .returned: return [.returned(try unstarted(delivery.properties))]
      case .adopt: return [.adopt(try adoption(delivery.properties))]
      case .fence: return [try fence(delivery.properties)]
      }
    } catch {
      if type == .reports { return [.unreadable(error.reason)] }
      return [.flawed(FlawedMessage(type: type.rawValue, reason: error.reason, worker: Envelope.sender(of: delivery)))]
    }
  }

  private static func publishing(_ properties: MessageProperties, body: [UInt8]) -> Publishing {
    Publishing(
      exchange: Topology.Exchange.reports, routingKey: Topology.RoutingKey.reports, properties: properties, body: body)
  }
}

extension ReportCodec {
  private static func reports(_ delivery: Delivery) throws(Unreadable) -> [ReportMessage] {
    guard let ledger = delivery.properties.correlationID, Envelope.isIdentifier(ledger) else {
      throw Unreadable("correlation_id is not a ledger's id")
    }
    guard let worker = delivery.properties.appID, Envelope.isIdentifier(worker) else {
      throw Unreadable("app_id is not a worker's id")
    }
    guard case .overLimit(let size) = delivery.body else {
      let body = try Envelope.bytes(of: delivery.body)
      var reader = ReportPackReader(body, ledger: LedgerID(ledger), worker: WorkerID(worker))
      return reader.read()
    }
    var reader = ReportPackReader(delivery.beginning, ledger: LedgerID(ledger), worker: WorkerID(worker))
    let begun = delivery.beginning.isEmpty ? [] : reader.read().filter { $0.isReport }
    return begun + [.unreadable("the body of \(size) bytes is over the limit")]
  }

  /// The claims that can be read, and what is wrong with the others: a worker makes all of them again and again.
  private static func claims(_ delivery: Delivery) throws(Unreadable) -> [ReportMessage] {
    let document = try WireJSON.decode(ReadClaims.self, from: delivery.body)
    let (claims, flaw) = try document.values()
    let flawed = flaw.map { FlawedMessage(type: MessageType.claims.rawValue, reason: $0, worker: document.worker) }
    return (claims.isEmpty ? [] : [.claims(claims)]) + [flawed.map { .flawed($0) }].compactMap(\.self)
  }

  private static func unstarted(_ properties: MessageProperties) throws(Unreadable) -> UnstartedRelease {
    let release = try Envelope.release(properties)
    return try Envelope.reading(properties) { headers throws(HeaderProblem) in
      UnstartedRelease(
        release: release, ledger: try Envelope.ledger(headers), worker: try Envelope.worker(headers))
    }
  }

  private static func adoption(_ properties: MessageProperties) throws(Unreadable) -> AdoptionRequest {
    let release = try Envelope.release(properties)
    return try Envelope.reading(properties) { headers throws(HeaderProblem) in
      AdoptionRequest(
        release: release, token: try headers.requiredGiven(Header.token), ledger: try Envelope.ledger(headers),
        worker: try Envelope.worker(headers))
    }
  }

  private static func fence(_ properties: MessageProperties) throws(Unreadable) -> ReportMessage {
    try Envelope.reading(properties) { headers throws(HeaderProblem) in
      .fence(number: try headers.requiredCount(Header.number), ledger: try Envelope.ledger(headers))
    }
  }
}

extension ReportMessage {
  fileprivate var isReport: Bool {
    if case .report = self { true } else { false }
  }
}

extension Collection where SubSequence: Collection, SubSequence.SubSequence == SubSequence {
  /// Runs of elements of one origin: a message names its worker and ledger once. A worker that was welcomed by another
  /// ledger may still have elements of the earlier one.
  fileprivate func sameOrigin(_ isSame: (Element, Element) -> Bool) -> [SubSequence] {
    var runs: [SubSequence] = []
    var rest = self[...]
    while let first = rest.first {
      let run = rest.prefix { isSame($0, first) }
      runs.append(run)
      rest = rest.dropFirst(run.count)
    }
    return runs
  }
}

extension Array {
  /// Pieces of at most that many elements, in order; none of an empty array.
  package func pieces(of size: Int) -> [ArraySlice<Element>] {
    stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
  }
}
