package import AMQP
package import JobModel

/// Where the answer to a request goes.
package struct AnswerAddress: Hashable, Sendable {
  package var replyTo: String
  package var correlationID: String?

  package init(replyTo: String, correlationID: String?) {
    self.replyTo = replyTo
    self.correlationID = correlationID
  }
}

/// What a message in `teller.requests` turned out to be.
package enum RequestMessage: Hashable, Sendable {
  case asked(Request, AnswerAddress)
  /// To be answered with that error.
  case refused(JobFailure, AnswerAddress)
  /// It does not say where to answer, or a place that is not allowed; the reason is for people.
  case unanswerable(String)
}

/// Why a request has no document for an answer.
package enum RequestError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The coordinator answered with an error.
  case refused(JobFailure)
  /// The answer is not understood: the coordinator is of another version.
  case unreadable(String)

  package var description: String {
    switch self {
    case .refused(let failure): failure.description
    case .unreadable(let reason): "the coordinator's answer is not understood: \(reason)"
    }
  }
}

/// Requests as messages of `teller.requests`: JSON in, JSON out; the property `type` says what is asked, and of an
/// answer whether it is `ok` or an `error`.
package enum RequestCodec {
  enum MessageType {
    static let status = "status"
    static let jobs = "jobs"
    static let show = "show"
    static let wait = "wait"
    static let ok = "ok"
    static let error = "error"
  }

  /// The message of a request.
  ///
  /// - Parameters:
  ///   - request: what is asked.
  ///   - address: where the answer goes.
  ///   - expiration: how long it may wait for a coordinator; no longer than the asker waits.
  /// - Returns: the message, to be published with a confirm.
  package static func encode(_ request: Request, address: AnswerAddress, expiration: Duration) -> Publishing {
    let (type, body) = content(request)
    let properties = MessageProperties(
      contentType: WireJSON.contentType, correlationID: address.correlationID, replyTo: address.replyTo,
      expiration: String(max(1, expiration.milliseconds)), type: type)
    return Publishing(
      exchange: Topology.Exchange.requests, routingKey: Topology.Queue.requests, properties: properties, body: body)
  }

  /// What a message in `teller.requests` turned out to be. Never fails.
  package static func decode(_ delivery: Delivery) -> RequestMessage {
    let properties = delivery.properties
    guard let replyTo = properties.replyTo, !replyTo.isEmpty else { return .unanswerable("reply_to is missing") }
    guard ReplyAddress.isAllowed(replyTo) else { return .unanswerable(JobFailure.badReplyTo(replyTo).message) }
    let address = AnswerAddress(replyTo: replyTo, correlationID: properties.correlationID)
    do throws(Unreadable) {
      guard let request = try request(delivery) else { return .refused(.unknownRequest(properties.type), address) }
      if let problem = request.problem { throw Unreadable(problem) }
      return .asked(request, address)
    } catch {
      return .refused(.badRequest(error.reason), address)
    }
  }

  private static func content(_ request: Request) -> (type: String, body: [UInt8]) {
    switch request {
    case .status: (MessageType.status, Array("{}".utf8))
    case .jobs(let query): (MessageType.jobs, WireJSON.encodePlain(query))
    case .show(let id): (MessageType.show, WireJSON.encodePlain(ShowQuery(id: id)))
    case .wait(let query): (MessageType.wait, WireJSON.encodePlain(query))
    }
  }

  private static func request(_ delivery: Delivery) throws(Unreadable) -> Request? {
    switch delivery.properties.type {
    case MessageType.status: .status
    case MessageType.jobs: .jobs(try read(JobsQuery.self, keys: JobsQuery.CodingKeys.self, delivery.body))
    case MessageType.show: .show(try read(ShowQuery.self, keys: ShowQuery.CodingKeys.self, delivery.body).id)
    case MessageType.wait: .wait(try read(WaitQuery.self, keys: WaitQuery.CodingKeys.self, delivery.body))
    default: nil
    }
  }

  /// A member that is ignored in silence, such as a misspelt filter, would give an answer to another question.
  private static func read<Query: Decodable, Keys: CodingKey & CaseIterable>(
    _ type: Query.Type, keys: Keys.Type, _ body: Delivery.Body
  ) throws(Unreadable) -> Query {
    guard case .object(let members) = try WireJSON.decode(JSONValue.self, from: body) else {
      throw Unreadable("the body is not a JSON object")
    }
    let known = Set(keys.allCases.map(\.stringValue))
    if let name = members.keys.filter({ !known.contains($0) }).min() {
      throw Unreadable("this version of Teller does not know the member \(Excerpt.quoted(name))")
    }
    return try WireJSON.decode(type, from: body)
  }
}

extension JobFailure {
  /// A request that is of a known type and cannot be understood.
  package static func badRequest(_ problem: String) -> JobFailure {
    JobFailure(code: "bad_request", message: "the request cannot be answered: \(problem)")
  }

  /// A request of a type that this version does not know.
  package static func unknownRequest(_ type: String?) -> JobFailure {
    let found = type.map { "type \(Excerpt.quoted($0)) is not known" } ?? "the property type is missing"
    return JobFailure(code: "unknown_request", message: "\(found): ask for status, jobs, show or wait")
  }

  /// The code of the answer when too many requests are waiting already: ask again later.
  package static let busyCode = "busy"

  /// No job of that id is known to the ledger.
  package static func jobNotFound(_ id: JobID) -> JobFailure {
    JobFailure(code: "not_found", message: "the ledger has no job \(id); was it submitted, and to this broker?")
  }
}
