package import AMQP
package import JobModel

/// Control messages of the coordinator to workers, by `teller.control`; and a worker's pulse to itself, by `teller.echo`.
/// The property `type` says which message it is.
package enum ControlCodec {
  private enum MessageType: String {
    case welcome, probe, answers, staffing, void, adopted, recorded, refused, pulse
  }

  /// The most bytes of a body, except for a welcome with very many departments: a little less than a connection reads by
  /// default.
  package static let bodyLimit = 1_000_000
  /// The most releases of one message.
  package static let releaseLimit = 11_000
  /// The most bytes of a release in a list: its members' names, a UUID, a number of 19 digits, a comma.
  private static let longestRelease = 90

  /// The messages of a welcome, to be sent in this order. Void releases that do not fit into the first message follow as
  /// changes. A worker may start such a release in between: the change cancels it if its job has ended; else it runs on.
  package static func encode(_ welcome: Welcome, to worker: WorkerID) -> [TransientPublishing] {
    var first = welcome
    first.voidList.releases = []
    let room = bodyLimit - WireJSON.encodePlain(first).count
    first.voidList.releases = Array(welcome.void.prefix(max(0, min(releaseLimit, room / longestRelease))))
    let rest = VoidChange(void: Array(welcome.void.dropFirst(first.void.count)), ended: welcome.ended)
    let key = Topology.RoutingKey.worker(worker)
    return [publishing(.welcome, first, key: key)] + encode(rest, key: key)
  }

  /// The message of a probe. `since`: when the coordinator's session began, by the ledger's clock.
  package static func encode(
    probe number: Int, since: Timestamp? = nil, to worker: WorkerID
  ) -> TransientPublishing {
    publishing(
      .probe, ProbeBody(number: number, sinceMs: since?.milliseconds), key: Topology.RoutingKey.worker(worker))
  }

  /// The answers to a worker's claims: one message for every `ClaimRequest.batchLimit` of them.
  package static func encode(_ answers: [ClaimAnswer], to worker: WorkerID) -> [TransientPublishing] {
    answers.pieces(of: ClaimRequest.batchLimit).map { piece in
      publishing(.answers, AnswersBody(answers: Array(piece)), key: Topology.RoutingKey.worker(worker))
    }
  }

  /// The whole staffing of a worker.
  package static func encode(_ staffing: Staffing, to worker: WorkerID) -> TransientPublishing {
    publishing(.staffing, staffing, key: Topology.RoutingKey.worker(worker))
  }

  /// The messages of a change of the void list, for all workers of a department: one for every `releaseLimit` releases,
  /// in this order; none when nothing changes.
  package static func encode(
    _ change: VoidChange, toWorkersOf department: Department
  ) -> [TransientPublishing] {
    encode(change, key: Topology.RoutingKey.workers(of: department))
  }

  /// The messages that end the run of a release in one worker: the release becomes void and ended, and is forgotten again,
  /// in this order.
  package static func encode(stop release: ReleaseID, to worker: WorkerID) -> [TransientPublishing] {
    let key = Topology.RoutingKey.worker(worker)
    return encode(VoidChange(void: [release], ended: [release]), key: key)
      + encode(VoidChange(forgotten: [release]), key: key)
  }

  /// The answer that a worker's adoptions are recorded: one message for every `releaseLimit` of them.
  package static func encode(adopted releases: [ReleaseID], to worker: WorkerID) -> [TransientPublishing] {
    releases.pieces(of: releaseLimit).map { piece in
      publishing(.adopted, ReleasesBody(releases: Array(piece)), key: Topology.RoutingKey.worker(worker))
    }
  }

  /// The answer that a worker's early reports are recorded: one message for every `releaseLimit` of them.
  package static func encode(recorded releases: [ReleaseID], to worker: WorkerID) -> [TransientPublishing] {
    releases.pieces(of: releaseLimit).map { piece in
      publishing(.recorded, ReleasesBody(releases: Array(piece)), key: Topology.RoutingKey.worker(worker))
    }
  }

  /// The answer to a message of a worker that cannot be used.
  package static func encode(_ refused: RefusedMessage, to worker: WorkerID) -> TransientPublishing {
    publishing(.refused, refused, key: Topology.RoutingKey.worker(worker))
  }

  /// A worker's pulse to itself: it comes back as long as the worker's messages reach the broker, and the broker's reach it.
  ///
  /// - Parameters:
  ///   - number: Counts the pulses of its connection.
  ///   - worker: The worker.
  /// - Returns: The message.
  package static func pulse(_ number: Int, to worker: WorkerID) -> TransientPublishing {
    TransientPublishing(
      exchange: Topology.Exchange.echo, routingKey: Topology.RoutingKey.worker(worker),
      properties: MessageProperties(correlationID: String(number), type: MessageType.pulse.rawValue), body: [])
  }

  /// Reads a message of a worker's own queue. Never fails: `unreadable` has the reason.
  ///
  /// A message by the exchange of echoes is a pulse, with any content: other workers may write there, too.
  package static func decode(_ delivery: Delivery) -> ControlMessage {
    if delivery.exchange == Topology.Exchange.echo {
      return .pulse(number: delivery.properties.correlationID.flatMap { Int($0) })
    }
    do throws(Unreadable) {
      return try message(delivery.properties.type, delivery.body)
    } catch {
      return .unreadable(error.reason)
    }
  }

  private static func message(_ type: String?, _ body: Delivery.Body) throws(Unreadable) -> ControlMessage {
    switch type.flatMap(MessageType.init) {
    case .welcome:
      let welcome = try WireJSON.decode(Welcome.self, from: body)
      try check(welcome.staffing)
      return .welcome(welcome)
    case .probe:
      let probe = try WireJSON.decode(ProbeBody.self, from: body)
      return .probe(number: probe.number, since: probe.sinceMs.map { Timestamp(milliseconds: $0) })
    case .answers: return .answers(try WireJSON.decode(AnswersBody.self, from: body).answers)
    case .staffing:
      let staffing = try WireJSON.decode(Staffing.self, from: body)
      try check(staffing)
      return .staffing(staffing)
    case .void: return .void(try WireJSON.decode(VoidChange.self, from: body))
    case .adopted: return .adopted(try WireJSON.decode(ReleasesBody.self, from: body).releases)
    case .recorded: return .recorded(try WireJSON.decode(ReleasesBody.self, from: body).releases)
    case .refused: return .refused(try WireJSON.decode(RefusedMessage.self, from: body))
    case .pulse, nil: throw Unreadable(type: type)
    }
  }

  private static func check(_ staffing: Staffing) throws(Unreadable) {
    try PresenceCodec.check(staffing.tellers, beside: staffing.beside, ahead: staffing.ahead)
  }

  private static func encode(_ change: VoidChange, key: String) -> [TransientPublishing] {
    let void = change.void.pieces(of: releaseLimit).map { VoidChange(void: Array($0), ended: change.ended) }
    let forgotten = change.forgotten.pieces(of: releaseLimit).map { VoidChange(forgotten: Array($0)) }
    let isOne = change.void.count + change.forgotten.count <= releaseLimit && !(void + forgotten).isEmpty
    return (isOne ? [change] : void + forgotten).map { publishing(.void, $0, key: key) }
  }

  private static func publishing(_ type: MessageType, _ document: some Encodable, key: String) -> TransientPublishing {
    TransientPublishing(
      exchange: Topology.Exchange.control, routingKey: key,
      properties: MessageProperties(contentType: WireJSON.contentType, type: type.rawValue),
      body: WireJSON.encodePlain(document))
  }
}

private struct ProbeBody: Codable {
  var number: Int
  var sinceMs: Int64?

  enum CodingKeys: String, CodingKey {
    case number
    case sinceMs = "since_ms"
  }
}

private struct AnswersBody: Codable {
  var answers: [ClaimAnswer]
}

private struct ReleasesBody: Codable {
  var releases: [ReleaseID]
}
