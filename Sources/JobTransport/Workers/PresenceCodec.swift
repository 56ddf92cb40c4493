package import AMQP
package import JobModel

/// Messages of `teller.presence`: a worker's presence, its started jobs and how far its runs have come; and the
/// coordinator's pulse to itself. The property `type` says which message it is.
package enum PresenceCodec {
  private enum MessageType: String {
    case presence, started, progress, pulse
  }

  /// The most tellers of one department that are understood: AMQP's prefetch has 16 bits.
  package static let tellerLimit = 65_535
  /// The most tellers that a worker may have. Its presence lists a release for each, and must stay readable.
  package static let workerTellers = 10_000
  /// The longest name of a worker, in bytes.
  package static let longestName = 1_000
  /// The most kinds of a worker; every presence names them.
  package static let kindLimit = 1_000
  /// The most bytes of a message of runs and how far they have come: a character of a text may take six.
  package static let progressBytes = 512 * 1024

  /// The message of a presence or a goodbye.
  package static func encode(_ presence: Presence) -> TransientPublishing {
    publishing(.presence, body: WireJSON.encodePlain(presence))
  }

  /// The message of a job that has been running for a moment.
  package static func encode(_ started: Started) -> TransientPublishing {
    publishing(.started, body: WireJSON.encodePlain(started))
  }

  /// The messages of runs and how far they have come: one for every `WorkerProgress.runLimit` of them.
  package static func encode(_ progress: WorkerProgress) -> [TransientPublishing] {
    progress.runs.pieces(of: WorkerProgress.runLimit).map { runs in
      var message = publishing(.progress, body: WireJSON.encodePlain(Array(runs)))
      // Beside the body: a reader drops what is superseded without reading it.
      message.properties.appID = progress.worker.text
      return message
    }
  }

  /// The coordinator's pulse to itself: it comes back as long as the coordinator's messages reach the broker, and the
  /// broker's reach it.
  package static var pulse: TransientPublishing { publishing(.pulse, body: []) }

  /// Reads a message of `teller.presence`. Never fails: what cannot be used has the reason.
  package static func decode(_ delivery: Delivery) -> PresenceMessage {
    do throws(Unreadable) {
      switch delivery.properties.type.flatMap(MessageType.init) {
      case .presence:
        return .presence(try checked(try WireJSON.decode(Presence.self, from: delivery.body)))
      case .started:
        let started = try WireJSON.decode(Started.self, from: delivery.body)
        try check(started.worker)
        try Envelope.checkGiven(RunningRelease(release: started.release, token: started.token))
        return .started(started)
      case .progress: return .progress(try progress(delivery))
      case .pulse: return .pulse
      case nil: throw Unreadable(type: delivery.properties.type)
      }
    } catch {
      let type = delivery.properties.type ?? ""
      return .flawed(FlawedMessage(type: type, reason: error.reason, worker: Envelope.sender(of: delivery)))
    }
  }

  /// The deliveries that are worth reading. Of how far a worker's runs have come, the newest messages are as many as the
  /// largest worker sends at once: those before them are superseded. So a worker that sends too many costs its reader little.
  package static func worthReading(_ deliveries: [Delivery]) -> [Delivery] {
    var left: [String: Int] = [:]
    let kept = deliveries.reversed().filter { delivery in
      guard delivery.properties.type == MessageType.progress.rawValue else { return true }
      left[delivery.properties.appID ?? "", default: progressMessages] -= 1
      return left[delivery.properties.appID ?? ""] ?? 0 >= 0
    }
    return kept.reversed()
  }

  /// How many messages tell of all runs of the largest worker.
  package static let progressMessages = (workerTellers + WorkerProgress.runLimit - 1) / WorkerProgress.runLimit

  private static func progress(_ delivery: Delivery) throws(Unreadable) -> WorkerProgress {
    guard let worker = delivery.properties.appID, Envelope.isIdentifier(worker) else {
      throw Unreadable("app_id is not a worker's id")
    }
    let body = try Envelope.bytes(of: delivery.body)
    if body.count > progressBytes { throw Unreadable("more than \(progressBytes) bytes") }
    let runs = try WireJSON.decode([WorkerProgress.Run].self, from: body)
    if runs.count > WorkerProgress.runLimit { throw Unreadable("more than \(WorkerProgress.runLimit) runs") }
    for run in runs { try Envelope.checkGiven(run.running) }
    return WorkerProgress(worker: WorkerID(worker), runs: runs)
  }

  private static func checked(_ presence: Presence) throws(Unreadable) -> Presence {
    try check(presence.worker)
    if presence.session < 0 || presence.probe < 0 { throw Unreadable("session or probe is negative") }
    if presence.name.utf8.count > longestName { throw Unreadable("name has more than \(longestName) bytes") }
    if let kinds = presence.kinds, kinds.count > kindLimit { throw Unreadable("more than \(kindLimit) kinds") }
    try check(presence.tellers, beside: presence.beside, ahead: presence.ahead)
    try check(presence.stuck, "stuck tellers in")
    for running in presence.running + presence.waiting.map(\.run) { try Envelope.checkGiven(running) }
    return presence
  }

  /// - Throws: `Unreadable` for numbers that cannot be a prefetch.
  static func check(
    _ tellers: [String: Int], beside: [String: [JobKind: Int]], ahead: [String: Int]
  ) throws(Unreadable) {
    let counts = tellers.map { $0 } + beside.values.joined().map { (key: $0.key.name, value: $0.value) }
    try check(counts, "tellers of")
    try check(ahead, "jobs ahead in")
  }

  private static func check(_ counts: some Sequence<(key: String, value: Int)>, _ what: String) throws(Unreadable) {
    for (name, count) in counts where !(0...tellerLimit).contains(count) {
      throw Unreadable("\(count) \(what) \(Excerpt.quoted(name)) are not between 0 and \(tellerLimit)")
    }
  }

  private static func check(_ worker: WorkerID) throws(Unreadable) {
    guard Envelope.isIdentifier(worker.text) else { throw Unreadable("worker \(Excerpt.quoted(worker.text)) is no id") }
  }

  private static func publishing(_ type: MessageType, body: [UInt8]) -> TransientPublishing {
    TransientPublishing(
      exchange: Topology.Exchange.presence, routingKey: Topology.Queue.presence,
      properties: MessageProperties(contentType: WireJSON.contentType, type: type.rawValue), body: body)
  }
}
