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
      #expect(
        SubmissionCodec.decode(Deliveries.of(SubmissionCodec.encode(submission)), now: .now()) == .job(submission))
    }
  }

  @Test("a plan comes through its message unchanged")
  func plan() throws {
    var random = SeededRandom(for: "plan round trip")
    for _ in 0..<Self.rounds {
      let plan = random.plan()
      #expect(SubmissionCodec.decode(Deliveries.of(try SubmissionCodec.encode(plan)), now: .now()) == .plan(plan))
    }
  }

  @Test("the start of a plan, an event and a choice come through their messages unchanged")
  func startsAndEvents() throws {
    var random = SeededRandom(for: "event round trip")
    for _ in 0..<Self.rounds {
      let (start, event, choice) = (random.planStart(), random.eventSubmission(), random.eventChoice())
      #expect(SubmissionCodec.decode(Deliveries.of(try SubmissionCodec.encode(start)), now: .now()) == .start(start))
      #expect(SubmissionCodec.decode(Deliveries.of(try SubmissionCodec.encode(event)), now: .now()) == .event(event))
      let message = SubmissionCodec.encode(choice, id: random.job())
      #expect(SubmissionCodec.decode(Deliveries.of(message), now: .now()) == .choice(choice))
    }
  }

  @Test("an assignment comes through its message unchanged")
  func assignment() throws {
    var random = SeededRandom(for: "assignment round trip")
    for _ in 0..<Self.rounds {
      var assignment = random.assignment()
      assignment.isBeside = random.chance()
      #expect(try AssignmentCodec.decode(Deliveries.of(AssignmentCodec.encode(assignment))) == assignment)
    }
  }

  @Test("reports, claims, adoptions and fences come through their messages unchanged, to the microsecond")
  func reports() {
    var random = SeededRandom(for: "report round trip")
    for _ in 0..<Self.rounds {
      let reports = random.reports()
      #expect(heard(ReportCodec.encode(reports).map(\.message)) == reports.map { .report($0) })
      let claims = random.claims()
      #expect(heard(ReportCodec.encode(claims)) == (claims.isEmpty ? [] : [.claims(claims)]))
      let unstarted = random.unstarted()
      #expect(heard([ReportCodec.encode(dropped: unstarted)]) == [.dropped(unstarted)])
      #expect(heard([ReportCodec.encode(returned: unstarted)]) == [.returned(unstarted)])
      let adoption = random.adoption()
      #expect(heard([ReportCodec.encode(adoption)]) == [.adopt(adoption)])
      let (number, ledger) = (random.count(), random.ledger())
      #expect(
        heard([ReportCodec.encode(fence: number, ledger: ledger)]) == [.fence(number: number, ledger: ledger)])
    }
  }

  private func heard(_ messages: [Publishing]) -> [ReportMessage] {
    messages.flatMap { ReportCodec.decode(Deliveries.of($0)) }
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

  @Test("how far runs have come comes through its messages unchanged, however many runs there are")
  func progress() throws {
    var random = SeededRandom(for: "progress round trip")
    for count in [0, 1, WorkerProgress.runLimit, 2 * WorkerProgress.runLimit + 1] {
      let progress = random.workerProgress(runs: count)
      let messages = PresenceCodec.encode(progress)
      #expect(messages.count == (count + WorkerProgress.runLimit - 1) / WorkerProgress.runLimit)
      var runs: [WorkerProgress.Run] = []
      for message in messages {
        guard case .progress(let read) = PresenceCodec.decode(Deliveries.of(message)) else {
          Issue.record("it is not understood")
          continue
        }
        #expect(read.worker == progress.worker)
        runs += read.runs
      }
      #expect(runs == progress.runs)
    }
    let job = random.job()
    let told = JobModel.Notification(
      job: job, kind: "print", department: "print", event: "progress", attempt: 1,
      at: random.time(), progress: 0.0001, text: "page \u{7}1\n\"of\" 10000")
    let message = NotificationCodec.encode(progress: told)
    #expect(message.routingKey == "progress.\(job)")
    #expect(NotificationCodec.decode(Deliveries.of(message)) == .live([told]))
  }

  @Test("of a worker that says too much only the newest messages are read, and all of what others say")
  func superseded() {
    var random = SeededRandom(for: "superseded progress")
    let presence = Deliveries.of(PresenceCodec.encode(random.presence()))
    let quiet = PresenceCodec.encode(random.workerProgress(runs: 1)).map { Deliveries.of($0) }
    var loud = random.workerProgress(runs: 1)
    let flood = (0..<200).flatMap { step -> [Delivery] in
      loud.runs = random.workerProgress(runs: step == 199 ? 2 : 1).runs
      return PresenceCodec.encode(loud).map { Deliveries.of($0) }
    }
    let read = PresenceCodec.worthReading(quiet + flood + [presence])
    #expect(read.count == PresenceCodec.progressMessages + 2)
    #expect(read.prefix(1).map(PresenceCodec.decode) == quiet.map(PresenceCodec.decode))
    #expect(read.suffix(2).map(PresenceCodec.decode) == [flood[199], presence].map(PresenceCodec.decode))
    // The largest worker may say something of each run.
    let largest = PresenceCodec.encode(random.workerProgress(runs: PresenceCodec.workerTellers))
    #expect(PresenceCodec.worthReading(largest.map { Deliveries.of($0) }).count == largest.count)
  }

  @Test("what the coordinator tells workers comes through its messages unchanged")
  func control() {
    var random = SeededRandom(for: "control round trip")
    for _ in 0..<Self.rounds {
      let worker = random.worker()
      let welcome = random.welcome()
      #expect(decoded(ControlCodec.encode(welcome, to: worker)) == [.welcome(welcome)])
      let number = random.count()
      let since = random.maybe { Timestamp(milliseconds: Int64($0.count())) }
      let probe = ControlCodec.encode(probe: number, since: since, to: worker)
      #expect(decoded([probe]) == [.probe(number: number, since: since)])
      #expect(decoded([ControlCodec.pulse(7, to: worker)]) == [.pulse(number: 7)])
      let answers = random.list(1...5) { $0.answer() }
      #expect(decoded(ControlCodec.encode(answers, to: worker)) == [.answers(answers)])
      let staffing = random.staffing()
      #expect(decoded([ControlCodec.encode(staffing, to: worker)]) == [.staffing(staffing)])
      let void = random.list(1...5) { $0.release() }
      let change = VoidChange(
        void: void, ended: Array(void.suffix(2)), forgotten: random.list(0...5) { $0.release() })
      #expect(decoded(ControlCodec.encode(change, toWorkersOf: random.department())) == [.void(change)])
      let adopted = random.list(1...5) { $0.release() }
      #expect(decoded(ControlCodec.encode(adopted: adopted, to: worker)) == [.adopted(adopted)])
      #expect(decoded(ControlCodec.encode(recorded: adopted, to: worker)) == [.recorded(adopted)])
      let refused = RefusedMessage(
        type: random.name(), failure: random.failure(), release: random.maybe { $0.release() })
      #expect(decoded([ControlCodec.encode(refused, to: worker)]) == [.refused(refused)])
    }
  }

  private func decoded(_ messages: [TransientPublishing]) -> [ControlMessage] {
    messages.map { ControlCodec.decode(Deliveries.of($0)) }
  }

  @Test("a reply comes through its message unchanged")
  func reply() throws {
    var random = SeededRandom(for: "reply round trip")
    for _ in 0..<Self.rounds {
      let contents: [Reply.Content] = [.accepted, .duplicate, .rejected(random.failure()), .outcome(random.outcome())]
      for content in contents {
        let reply = Reply(
          job: random.maybe { $0.text() }, correlationID: random.maybe { $0.text() }, content: content,
          decided: random.decided(with: content))
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

  @Test("a batch and a marker say how far their ledger had come, and nothing of another; a question says nothing")
  func positions() {
    var random = SeededRandom(for: "notification position")
    let ledger = random.ledger()
    let position = NotificationPosition(epoch: 3, seq: 70)
    let marker = Deliveries.of(NotificationCodec.encode(marker: "m", ledger: ledger, at: position))
    #expect(NotificationCodec.position(of: marker, in: ledger) == position)
    #expect(NotificationCodec.position(of: marker, in: LedgerID("another")) == nil)
    let empty = NotificationBatch(ledger: ledger, epoch: 3, notifications: [])
    #expect(NotificationCodec.decode(marker) == .recorded(empty, offset: nil))
    let question = Deliveries.of(NotificationCodec.encode(question: "q", ledger: ledger, epoch: 3))
    #expect(NotificationCodec.position(of: question, in: ledger) == nil)
    #expect(NotificationCodec.decode(question) == .recorded(empty, offset: nil))
    #expect(NotificationCodec.isQuestion(question) && !NotificationCodec.isQuestion(marker))
    let batch = NotificationBatch(
      ledger: ledger, epoch: 2, notifications: [71, 72].map { random.notification(seq: $0) })
    let delivery = Deliveries.of(NotificationCodec.encode(batch))
    let earlier = NotificationPosition(epoch: 2, seq: 72)
    #expect(NotificationCodec.position(of: delivery, in: ledger) == earlier && !NotificationCodec.isQuestion(delivery))
    #expect(earlier < position)
  }

  @Test("a request comes through its message unchanged, with where to answer")
  func requests() {
    var random = SeededRandom(for: "request round trip")
    for _ in 0..<Self.rounds {
      let address = AnswerAddress(replyTo: random.reply().replyTo, correlationID: random.maybe { $0.text() })
      for request in random.requests() {
        let message = RequestCodec.encode(request, address: address, expiration: .seconds(5))
        #expect(RequestCodec.decode(Deliveries.of(message)) == .asked(request, address))
      }
    }
  }

  @Test("a command comes through its message unchanged, with where to answer")
  func commands() {
    var random = SeededRandom(for: "command round trip")
    for _ in 0..<Self.rounds {
      let address = AnswerAddress(replyTo: random.reply().replyTo, correlationID: random.maybe { $0.text() })
      for command in random.commands() {
        let message = AdminCodec.encode(command, address: address, expiration: .seconds(5))
        #expect(AdminCodec.decode(Deliveries.of(message)) == .asked(command, address))
      }
    }
  }
}
