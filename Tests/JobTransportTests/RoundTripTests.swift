import AMQP
import JobModel
import JobTransport
import TestSupport
import Testing

/// What is encoded is decoded to the same value, for random values.
@Suite struct RoundTripTests {
  private static let rounds = 300

  @Test("a submission comes through its message unchanged")
  func submission() {
    var random = SeededRandom(for: "submission round trip")
    for _ in 0..<Self.rounds {
      let submission = random.submission()
      #expect(SubmissionCodec.decode(Deliveries.of(SubmissionCodec.encode(submission))) == .job(submission))
    }
  }

  @Test("a plan comes through its message unchanged")
  func plan() throws {
    var random = SeededRandom(for: "plan round trip")
    for _ in 0..<Self.rounds {
      let plan = random.plan()
      #expect(SubmissionCodec.decode(Deliveries.of(try SubmissionCodec.encode(plan))) == .plan(plan))
    }
  }

  @Test("an assignment comes through its message unchanged")
  func assignment() throws {
    var random = SeededRandom(for: "assignment round trip")
    for _ in 0..<Self.rounds {
      let assignment = random.assignment()
      #expect(try AssignmentCodec.decode(Deliveries.of(AssignmentCodec.encode(assignment))) == assignment)
    }
  }

  @Test("reports, claims and fences come through their messages unchanged, to the microsecond")
  func reports() {
    var random = SeededRandom(for: "report round trip")
    for _ in 0..<Self.rounds {
      let report = random.report()
      #expect(ReportCodec.decode(Deliveries.of(ReportCodec.encode(report))) == .report(report))
      let claim = random.claim()
      #expect(ReportCodec.decode(Deliveries.of(ReportCodec.encode(claim))) == .claim(claim))
      let (number, ledger) = (random.count(), random.ledger())
      let fence = ReportCodec.encode(fence: number, ledger: ledger)
      #expect(ReportCodec.decode(Deliveries.of(fence)) == .fence(number: number, ledger: ledger))
    }
  }

  @Test("presences and started come through their messages unchanged")
  func presence() {
    var random = SeededRandom(for: "presence round trip")
    for _ in 0..<Self.rounds {
      let presence = random.presence()
      #expect(PresenceCodec.decode(Deliveries.of(PresenceCodec.encode(presence))) == .presence(presence))
      let started = random.started()
      #expect(PresenceCodec.decode(Deliveries.of(PresenceCodec.encode(started))) == .started(started))
    }
  }

  @Test("welcomes, probes and answers come through their messages unchanged")
  func control() {
    var random = SeededRandom(for: "control round trip")
    for _ in 0..<Self.rounds {
      let claim = random.claim()
      let welcome = Welcome(
        ledger: random.ledger(), session: random.count(), departments: [random.department()], unknown: [random.text()])
      #expect(ControlCodec.decode(Deliveries.of(ControlCodec.encode(welcome, to: claim.worker))) == .welcome(welcome))
      let number = random.count()
      #expect(
        ControlCodec.decode(Deliveries.of(ControlCodec.encode(probe: number, to: claim.worker)))
          == .probe(number: number))
      #expect(ControlCodec.decode(Deliveries.of(ControlCodec.pulse(to: claim.worker))) == .pulse)
      for verdict in [Verdict.run(token: random.count(), attempt: 2), .elsewhere, .drop] {
        #expect(
          ControlCodec.decode(Deliveries.of(ControlCodec.encode(verdict, to: claim)))
            == .answer(release: claim.release, claim: claim.number, verdict))
      }
    }
  }

  @Test("a reply comes through its message unchanged")
  func reply() throws {
    var random = SeededRandom(for: "reply round trip")
    for _ in 0..<Self.rounds {
      let contents: [Reply.Content] = [.accepted, .duplicate, .rejected(random.failure()), .outcome(random.outcome())]
      for content in contents {
        let reply = Reply(
          job: random.maybe { $0.text() }, correlationID: random.maybe { $0.text() }, content: content)
        #expect(try ReplyCodec.decode(Deliveries.of(ReplyCodec.encode(reply, to: "teller.reply.x"))) == reply)
      }
    }
  }

  @Test("notifications come through their messages unchanged, recorded and live")
  func notifications() {
    var random = SeededRandom(for: "notification round trip")
    for _ in 0..<Self.rounds {
      let count = Int64.random(in: 1...5, using: &random)
      let batch = NotificationBatch(
        ledger: random.ledger(), epoch: random.count(), notifications: (1...count).map { random.notification(seq: $0) })
      let decoded = NotificationCodec.decode(Deliveries.of(NotificationCodec.encode(batch)))
      #expect(decoded == .recorded(batch, offset: nil))
      let live = [random.notification(seq: nil)]
      #expect(NotificationCodec.decode(Deliveries.of(NotificationCodec.encode(live: live))) == .live(live))
    }
  }

  @Test("a request comes through its message unchanged, with where to answer")
  func requests() {
    var random = SeededRandom(for: "request round trip")
    for _ in 0..<Self.rounds {
      let address = AnswerAddress(replyTo: random.reply().replyTo, correlationID: random.maybe { $0.text() })
      let query = JobsQuery(
        department: random.maybe { $0.department() }, state: random.maybe { _ in .failed },
        kind: random.maybe { $0.kind() }, limit: Int.random(in: 1...1000, using: &random), before: Int64(random.count())
      )
      let wait = WaitQuery(ids: [random.job()], limit: .milliseconds(Int.random(in: 0...30_000, using: &random)))
      for request in [Request.status, .jobs(query), .show(random.job()), .wait(wait)] {
        let message = RequestCodec.encode(request, address: address, expiration: .seconds(5))
        #expect(RequestCodec.decode(Deliveries.of(message)) == .asked(request, address))
      }
    }
  }
}
