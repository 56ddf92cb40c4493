package import AMQP
package import JobModel

/// What the coordinator tells one worker, and a worker itself, as messages of `teller.control`; the property `type` says what.
package enum ControlCodec {
  private enum MessageType {
    static let welcome = "welcome"
    static let probe = "probe"
    static let answer = "answer"
    static let pulse = "pulse"
  }

  private struct ProbeDocument: Codable {
    var number: Int
  }

  /// The message of a welcome.
  package static func encode(_ welcome: Welcome, to worker: WorkerID) -> TransientPublishing {
    publishing(MessageType.welcome, to: worker, body: WireJSON.encodePlain(welcome))
  }

  /// The message of a probe.
  package static func encode(probe number: Int, to worker: WorkerID) -> TransientPublishing {
    publishing(MessageType.probe, to: worker, body: WireJSON.encodePlain(ProbeDocument(number: number)))
  }

  /// The answer to a worker's claim.
  package static func encode(_ verdict: Verdict, to claim: ClaimRequest) -> TransientPublishing {
    publishing(
      MessageType.answer, to: claim.worker,
      body: WireJSON.encodePlain(AnswerDocument(verdict, release: claim.release, claim: claim.number)))
  }

  /// What a worker sends to itself: it comes back as long as the worker can be heard and hears.
  package static func pulse(to worker: WorkerID) -> TransientPublishing {
    publishing(MessageType.pulse, to: worker, body: [])
  }

  /// What a message in a worker's own queue turned out to be. Never fails: `unreadable` says why.
  package static func decode(_ delivery: Delivery) -> ControlMessage {
    do throws(Unreadable) {
      switch delivery.properties.type {
      case MessageType.welcome: return .welcome(try WireJSON.decode(Welcome.self, from: delivery.body))
      case MessageType.probe:
        return .probe(number: try WireJSON.decode(ProbeDocument.self, from: delivery.body).number)
      case MessageType.pulse: return .pulse
      case MessageType.answer: return try WireJSON.decode(AnswerDocument.self, from: delivery.body).message()
      case let type?: throw Unreadable("type \(Excerpt.quoted(type)) is not known here")
      case nil: throw Unreadable("type is missing")
      }
    } catch {
      return .unreadable(error.reason)
    }
  }

  private static func publishing(_ type: String, to worker: WorkerID, body: [UInt8]) -> TransientPublishing {
    TransientPublishing(
      exchange: Topology.Exchange.control, routingKey: Topology.RoutingKey.worker(worker),
      properties: MessageProperties(contentType: WireJSON.contentType, type: type), body: body)
  }
}

/// The body of an answer to a claim.
private struct AnswerDocument: Codable {
  var job: JobID
  var release: Int
  var claim: Int
  /// `run`, `elsewhere` or `drop`.
  var verdict: String
  /// With `run` only.
  var token: Int?
  /// With `run` only.
  var attempt: Int?

  init(_ verdict: Verdict, release: ReleaseID, claim: Int) {
    job = release.job
    self.release = release.number
    self.claim = claim
    switch verdict {
    case .run(let token, let attempt):
      self.verdict = "run"
      self.token = token
      self.attempt = attempt
    case .elsewhere: self.verdict = "elsewhere"
    case .drop: self.verdict = "drop"
    }
  }

  func message() throws(Unreadable) -> ControlMessage {
    .answer(release: ReleaseID(job: job, number: release), claim: claim, try readVerdict())
  }

  private func readVerdict() throws(Unreadable) -> Verdict {
    switch verdict {
    case "run":
      guard let token, let attempt else { throw Unreadable("verdict run without token and attempt") }
      return .run(token: token, attempt: attempt)
    case "elsewhere": return .elsewhere
    case "drop": return .drop
    default: throw Unreadable("verdict \(Excerpt.quoted(verdict)) is not known here")
    }
  }
}
