import AMQP
import AuditSupport
import Decisions
import Foundation
import JobModel
import JobTransport

/// A client: it submits, submits again what was not answered, asks for outcomes when it hears nothing, gives commands, and
/// follows the notification stream. It writes down each answer.
final class ClientNode: Node {
  private struct Open {
    let message: Publishing
    /// Nil: a plan, or an event.
    let submission: Submission?
    var submitting: Int?
    var accepting: Int?
    var waiting: Int?
    var isConfirmed = false
    var isAccepted = false
    var sentAt: Duration
    let isEarly: Bool
  }

  private struct Command {
    let request: AdminRequest
    let id: UUID
    var cancelling: [Int] = []
  }

  private(set) var publishing: World.Line?
  private var consuming: World.Line?
  private(set) var isReady = false
  /// Counts the connections.
  private(set) var connection = 0
  private(set) var replyTo = ""
  private var open: [JobID: Open] = [:]
  private var lastNumber = 0
  private var published: [Int: JobID] = [:]
  private var commands: [String: Command] = [:]
  private var lastCommand = 0
  var questions: [String: Question] = [:]
  /// What the client has seen of the stream: how often each job's outcome was told, by number.
  private(set) var announced: [JobID: Set<NotificationPosition>] = [:]
  private(set) var seen: [Int: Set<Int64>] = [:]
  private var offset = 0
  /// What is refused for good, by its job.
  private(set) var rejected: [JobID: JobFailure] = [:]
  /// Called when a job is accepted.
  var onAccepted: [JobID: () -> Void] = [:]

  var isIdle: Bool { open.isEmpty && commands.isEmpty }
  var hasCommands: Bool { !commands.isEmpty }
  var openJobs: [JobID] { open.keys.sorted { $0.description < $1.description } }

  override func begin() {
    super.begin()
    connect(after: .milliseconds(1))
  }

  // MARK: Connections

  private func connect(after delay: Duration) {
    after(delay, "connects") { [self] in
      guard world.isBrokerUp else { return connect(after: .milliseconds(world.number(100...1_500))) }
      connection += 1
      let (publishing, consuming) = (world.open(self), world.open(self))
      (self.publishing, self.consuming) = (publishing, consuming)
      let queue = Topology.replyQueue(world.newID())
      replyTo = queue.name
      world.broker.declare(Topology.exchanges)
      world.send(.declare([queue], []), on: consuming)
      world.send(.consume(queue: queue.name, tag: "replies", prefetch: 0), on: consuming)
      if world.broker.streams[Topology.Queue.notifications] != nil {
        world.send(
          .consume(queue: Topology.Queue.notifications, tag: "events", prefetch: 0, offset: offset), on: consuming)
      }
      look(of: connection)
    }
  }

  override func lost(_ line: World.Line, _ error: AMQPError) {
    guard line === publishing || line === consuming else { return }
    for other in [publishing, consuming] { if let other, other !== line { world.hangUp(other) } }
    (publishing, consuming, isReady, published) = (nil, nil, false, [:])
    connect(after: .milliseconds(world.number(20...1_000)))
  }

  /// The broker's disk is gone, and with it the stream.
  func forgetOffset() { offset = 0 }

  override func receive(_ frame: BrokerFrame, on line: World.Line) async throws {
    switch frame {
    case .consuming(let tag) where tag == "replies": isReady = true
    case .delivery(let delivery) where delivery.consumerTag == "events": follow(delivery)
    case .delivery(let delivery):
      world.send(.ack([delivery.deliveryTag]), on: line)
      read(delivery)
    case .published(let number, let result): confirmed(number, result)
    case .ended: try world.abandon(line, .connectionLost(reason: "a consumer was ended"))
    default: break
    }
  }

  // MARK: Submitting

  /// Everything that was ever submitted.
  private(set) var submissions: [Submission] = []

  func submit(_ submission: Submission, _ wanted: Wanted, isEarly: Bool = false) {
    var wanted = wanted
    if world.cancelledKinds.contains(submission.kind) { wanted.outcomes.insert(.cancelled) }
    wanted.pauses = world.pauses(of: submission)
    world.record.want(wanted, of: submission.id)
    submissions.append(submission)
    var submission = submission
    submission.submittedAt = world.wall
    begin(submission.id, SubmissionCodec.encode(submission), submission, isEarly: isEarly)
  }

  /// The same message comes once more, though nobody misses it.
  func submitAgain(_ submission: Submission) {
    guard isReady, let publishing else { return }
    var message = SubmissionCodec.encode(submission)
    message.properties.replyTo = replyTo
    world.send(.publish(message, number: nil), on: publishing)
  }

  /// Sends what has to be refused, and hears whether it is.
  func offer(_ message: Publishing, _ what: String) {
    guard isReady, let publishing else { return }
    var message = message
    message.properties.replyTo = replyTo
    message.properties.correlationID = "\(ClientNode.offered)\(what)"
    world.send(.publish(message, number: nil), on: publishing)
  }

  private static let offered = "must be refused: "

  private func answeredOffer(_ tag: String, _ reply: Reply) {
    // A ledger that lacks the first one takes the second one for it.
    if world.isRolledBack || world.otherLedgerServed { return }
    world.sometimes.note(.refused)
    if case .rejected = reply.content { return }
    world.failures.append("\(name) is answered \(reply.content) where something \(tag)")
  }

  /// A plan or an event.
  func submit(_ id: JobID, _ message: Publishing) { begin(id, message, nil, isEarly: false) }

  private func begin(_ id: JobID, _ message: Publishing, _ submission: Submission?, isEarly: Bool) {
    var entry = Open(message: message, submission: submission, sentAt: .zero, isEarly: isEarly)
    if submission != nil {
      entry.submitting = world.record.invoke(.submit, id, at: world.moment)
      entry.accepting = world.record.invoke(.accept, id, at: world.moment)
      entry.waiting = world.record.invoke(.wait, id, at: world.moment)
    }
    open[id] = entry
    world.trace.say(world.now, name, "submits \(id)")
    send(id)
  }

  private func send(_ id: JobID) {
    guard isReady, let publishing, let entry = open[id] else { return }
    var message = entry.message
    message.properties.replyTo = replyTo
    message.properties.correlationID = id.description
    open[id]?.sentAt = world.now
    if entry.isEarly, entry.sentAt == .zero, let early = EarlyCodec.encode(submission: message) {
      world.send(.publish(Publishing(early), number: nil), on: publishing)
      return after(.milliseconds(10), "waits no longer for an early answer") { [self] in
        if open[id]?.isAccepted == false { sendDurably(id, message) }
      }
    }
    sendDurably(id, message)
  }

  private func sendDurably(_ id: JobID, _ message: Publishing) {
    guard let publishing else { return }
    lastNumber += 1
    published[lastNumber] = id
    world.send(.publish(message, number: lastNumber), on: publishing)
  }

  private func confirmed(_ number: Int, _ result: PublishResult) {
    guard let id = published.removeValue(forKey: number) else { return }
    guard result == .confirmed else { return world.sometimes.note(.returnedPublishing) }
    guard var entry = open[id], !entry.isConfirmed else { return }
    entry.isConfirmed = true
    if let submitting = entry.submitting { world.record.end(submitting, .ok(nil), at: world.moment) }
    open[id] = entry
  }

  // MARK: Answers

  private func read(_ delivery: Delivery) {
    if let tag = delivery.properties.correlationID, tag.hasPrefix("wait ") { return readOutcomes(delivery) }
    if let tag = delivery.properties.correlationID, commands[tag] != nil { return answered(tag, delivery) }
    if let tag = delivery.properties.correlationID, questions[tag] != nil { return heard(tag, delivery) }
    for reply in ReplyPacks.decode(delivery).replies {
      if let tag = reply.correlationID, tag.hasPrefix(ClientNode.offered) { answeredOffer(tag, reply) }
      guard let id = reply.correlationID.flatMap({ JobID($0) }), open[id] != nil else { continue }
      take(reply, of: id)
    }
  }

  private func take(_ reply: Reply, of id: JobID) {
    switch reply.content {
    case .accepted: accepted(id, as: reply)
    case .duplicate: accepted(id, as: reply)
    case .rejected(let failure):
      rejected[id] = failure
      world.trace.say(world.now, name, "is refused \(id): \(failure)")
      for operation in [open[id]?.submitting, open[id]?.accepting, open[id]?.waiting] {
        // A department that was taken out may be back when the same message comes once more.
        let isFinal = failure.code != JobFailure.Code.unknownDepartment
        if let operation {
          world.record.end(operation, isFinal ? .failed("\(failure)") : .unknown("\(failure)"), at: world.moment)
        }
      }
      open[id] = nil
    case .outcome(let outcome):
      accepted(id, as: reply)
      ended(id, Sighting(state: outcome.state))
    }
  }

  private func accepted(_ id: JobID, as reply: Reply) {
    guard var entry = open[id], !entry.isAccepted else { return }
    entry.isAccepted = true
    if let accepting = entry.accepting { world.record.end(accepting, .ok(nil), at: world.moment) }
    open[id] = entry
    if let original = reply.job.flatMap({ JobID($0) }), original != id {
      world.record.learn(original: original, of: id)
    }
    onAccepted.removeValue(forKey: id)?()
    if entry.submission == nil { open[id] = nil }
  }

  private func ended(_ id: JobID, _ seen: Sighting) {
    guard let entry = open.removeValue(forKey: id), let waiting = entry.waiting else { return }
    world.trace.say(world.now, name, "hears that \(id) has \(seen.state)")
    world.record.end(waiting, .ok(seen), at: world.moment)
  }

  private func readOutcomes(_ delivery: Delivery) {
    guard let document = try? AnswerCodec.decode(WaitDocument.self, from: delivery) else { return }
    for job in document.finished {
      for (id, entry) in open where id == job.id || world.record.originals[id] == job.id {
        guard entry.submission != nil else { continue }
        accepted(id, as: Reply(job: job.id.description, correlationID: nil, content: .accepted))
        ended(id, Sighting(state: job.state, attempt: id == job.id ? job.attempt : nil))
      }
    }
    for unknown in document.unknown {
      for (id, entry) in open where entry.isAccepted && (world.record.originals[id] ?? id) == unknown { send(id) }
    }
  }

  // MARK: Time

  /// How long a client waits for an answer, before it sends or asks again.
  private static let patience: Duration = .seconds(6)

  private func look(of connection: Int) {
    after(.milliseconds(world.number(700...1_500)), "looks at what is open") { [self] in
      guard connection == self.connection, publishing != nil else { return }
      if isReady { lookAtOpen() }
      look(of: connection)
    }
  }

  private func lookAtOpen() {
    var silent: [JobID] = []
    for id in openJobs {
      guard let entry = open[id], entry.sentAt == .zero || world.now - entry.sentAt > ClientNode.patience else {
        continue
      }
      if entry.isAccepted {
        silent.append(world.record.originals[id] ?? id)
        open[id]?.sentAt = world.now
      } else {
        send(id)
      }
    }
    if !silent.isEmpty { ask(silent) }
    for tag in commands.keys.sorted() where world.chance(30) { send(tag) }
  }

  private func ask(_ ids: [JobID]) {
    guard let publishing else { return }
    lastNumber += 1
    let message = RequestCodec.encode(
      .wait(
        WaitQuery(ids: Array(Set(ids)).sorted { $0.description < $1.description }, limit: .seconds(world.number(0...3)))
      ),
      address: AnswerAddress(replyTo: replyTo, correlationID: "wait \(lastNumber)"), expiration: .seconds(10))
    world.send(.publish(message, number: lastNumber), on: publishing)
  }

  // MARK: Commands

  /// Gives a command, and again until it is answered: it is carried out once. `about`: jobs that may be cancelled by it.
  /// `id`: that of a command which was given before, and comes again.
  func command(_ request: AdminRequest, about jobs: [JobID] = [], id: UUID? = nil) {
    lastCommand += 1
    let tag = "command \(lastCommand)"
    commands[tag] = Command(
      request: request, id: id ?? world.newID().uuid,
      cancelling: jobs.map { world.record.invoke(.cancel, $0, at: world.moment) })
    world.trace.say(world.now, name, "commands \(request)")
    send(tag)
  }

  private func send(_ tag: String) {
    guard isReady, let publishing, let command = commands[tag] else { return }
    lastNumber += 1
    let message = AdminCodec.encode(
      command.request, address: AnswerAddress(replyTo: replyTo, correlationID: tag), expiration: .seconds(10),
      command: command.id, by: OperatorName(name))
    world.send(.publish(message, number: lastNumber), on: publishing)
  }

  private func answered(_ tag: String, _ delivery: Delivery) {
    guard let command = commands.removeValue(forKey: tag) else { return }
    let isDone = delivery.properties.type == "ok"
    world.trace.say(world.now, name, "\(tag) is answered \(delivery.properties.type ?? "")")
    if isDone { world.sometimes.note(command.request) }
    if isDone, case .drainWorker(let order) = command.request { world.drained.insert(order.worker) }
    for operation in command.cancelling {
      world.record.end(operation, isDone ? .ok(nil) : .failed("refused"), at: world.moment)
    }
  }

  // MARK: The stream

  private func follow(_ delivery: Delivery) {
    guard case .recorded(let batch, let place) = NotificationCodec.decode(delivery) else { return }
    offset = Int(place ?? 0) + 1
    world.see(batch)
    for notification in batch.notifications {
      guard let seq = notification.seq else { continue }
      seen[batch.epoch, default: []].insert(seq)
      guard let job = notification.job, ["succeeded", "failed", "cancelled"].contains(notification.event) else {
        continue
      }
      announced[job, default: []].insert(NotificationPosition(epoch: batch.epoch, seq: seq))
    }
  }
}

extension Sometimes {
  fileprivate mutating func note(_ request: AdminRequest) {
    switch request {
    case .reset: note(.operation)
    case .cancel(let selection), .replay(let selection), .drop(let selection):
      note(.operation, if: selection.jobs == nil)
    case .resetKeys: note(.keyReset)
    default: break
    }
  }
}
