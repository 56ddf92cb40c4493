package import AMQP
package import JobModel

/// What workers tell of themselves, and the coordinator itself, as messages of `teller.presence`; the property `type` says what.
package enum PresenceCodec {
  private enum MessageType {
    static let presence = "presence"
    static let started = "started"
    static let pulse = "pulse"
  }

  /// The most tellers of one department that are understood: AMQP's prefetch is 16 bits.
  package static let tellerLimit = 65_535
  /// The most tellers that a worker may have. Its presence lists a release for each, and must stay readable.
  package static let workerTellers = 10_000
  /// The longest name that a worker may announce, in bytes.
  package static let longestName = 1_000

  /// The most kinds that a worker may name, each in every presence.
  package static let kindLimit = 1_000

  /// The message of a presence or a goodbye.
  package static func encode(_ presence: Presence) -> TransientPublishing {
    publishing(MessageType.presence, body: WireJSON.encodePlain(PresenceDocument(presence)))
  }

  /// The message of a job that has been running for a moment.
  package static func encode(_ started: Started) -> TransientPublishing {
    publishing(MessageType.started, body: WireJSON.encodePlain(StartedDocument(started)))
  }

  /// What the coordinator sends to itself: it comes back as long as the coordinator can be heard and hears.
  package static var pulse: TransientPublishing { publishing(MessageType.pulse, body: []) }

  /// What a message in `teller.presence` turned out to be. Never fails: `unreadable` says why.
  package static func decode(_ delivery: Delivery) -> PresenceMessage {
    do throws(Unreadable) {
      switch delivery.properties.type {
      case MessageType.presence:
        return .presence(try checked(try WireJSON.decode(PresenceDocument.self, from: delivery.body).value()))
      case MessageType.started:
        let started = try WireJSON.decode(StartedDocument.self, from: delivery.body).value
        try check(started.worker)
        try Envelope.checkGiven(RunningRelease(release: started.release, token: started.token))
        return .started(started)
      case MessageType.pulse: return .pulse
      case let type?: throw Unreadable("type \(Excerpt.quoted(type)) is not known here")
      case nil: throw Unreadable("type is missing")
      }
    } catch {
      return .unreadable(error.reason)
    }
  }

  private static func checked(_ presence: Presence) throws(Unreadable) -> Presence {
    try check(presence.worker)
    if presence.session < 0 || presence.probe < 0 { throw Unreadable("session or probe is negative") }
    if presence.name.utf8.count > longestName { throw Unreadable("name has more than \(longestName) bytes") }
    if let kinds = presence.kinds, kinds.count > kindLimit { throw Unreadable("more than \(kindLimit) kinds") }
    try check(presence.tellers)
    for running in presence.running { try Envelope.checkGiven(running) }
    return presence
  }

  static func check(_ tellers: [String: Int]) throws(Unreadable) {
    if let (name, count) = tellers.first(where: { !(0...tellerLimit).contains($0.value) }) {
      throw Unreadable("\(count) tellers of \(Excerpt.quoted(name)) are not between 0 and \(tellerLimit)")
    }
  }

  private static func check(_ worker: WorkerID) throws(Unreadable) {
    guard Envelope.isIdentifier(worker.text) else { throw Unreadable("worker \(Excerpt.quoted(worker.text)) is no id") }
  }

  private static func publishing(_ type: String, body: [UInt8]) -> TransientPublishing {
    TransientPublishing(
      exchange: Topology.Exchange.presence, routingKey: Topology.Queue.presence,
      properties: MessageProperties(contentType: WireJSON.contentType, type: type), body: body)
  }
}
