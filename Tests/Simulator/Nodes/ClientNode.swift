import AMQP
import AuditSupport
import Decisions
import Foundation
import JobModel
import JobTransport

/// A client: it submits, submits again what was not answered, asks for outcomes when it hears nothing, gives commands, and
/// follows the notification stream. It writes down each answer.
final class ClientNode: Node {
  struct Open {
    let message: Publishing
    /// Nil: a plan, or an event.
    let submission: Submission?
    /// Where it is to go; nil: nobody knows.
    let department: Department?
    /// When it was to be sent for the first time.
    let since: Moment
    var submitting: Int?
    var accepting: Int?
    var waiting: Int?
    var isConfirmed = false
    var isAccepted = false
    var sentAt: Duration
    let isEarly: Bool
  }

  struct Command {
    let request: AdminRequest
    let id: UUID
    /// When it was given.
    let since: Moment
    var cancelling: [Int] = []
  }

  /// How far its clock is ahead.
  var clockAhead: Duration = .zero
  private(set) var publishing: World.Line?
  private var consuming: World.Line?
  private(set) var isReady = false
  private var isFollowing = false
  /// Counts the connections.
  private(set) var connection = 0
  private(set) var replyTo = ""
  var open: [JobID: Open] = [:]
  var lastNumber = 0
  private var published: [Int: JobID] = [:]
  var commands: [String: Command] = [:]
  var lastCommand = 0
  var questions: [String: Question] = [:]
  /// What the client has seen of the stream: how often each job's outcome was told, by number.
  var announced: [JobID: Set<NotificationPosition>] = [:]
  var seen: [Int: Set<Int64>] = [:]
  var offset = 0
  /// What is refused for good, by its job.
  var rejected: [JobID: JobFailure] = [:]
  /// Called when a job is accepted.
  var onAccepted: [JobID: () -> Void] = [:]

  var isIdle: Bool { open.isEmpty && commands.isEmpty }
  /// A connection is cut, and the client does not know yet: what comes meanwhile it gets on the next one.
  var isCutOff: Bool { [publishing, consuming].contains { $0?.isCut == true } }
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
      followEvents()
      look(of: connection)
    }
  }

  /// As soon as the stream is there.
  private func followEvents() {
    guard !isFollowing, let consuming, world.broker.streams[Topology.Queue.notifications] != nil else { return }
    isFollowing = true
    world.send(
      .consume(queue: Topology.Queue.notifications, tag: "events", prefetch: 0, from: .offset(offset)), on: consuming)
  }

  override func lost(_ line: World.Line, _ error: AMQPError) {
    guard line === publishing || line === consuming else { return }
    for other in [publishing, consuming] { if let other, other !== line { world.hangUp(other) } }
    (publishing, consuming, isReady, isFollowing, published) = (nil, nil, false, false, [:])
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
    world.record.want(wanted, of: submission.id)
    submissions.append(submission)
    var submission = submission
    submission.submittedAt = world.wall + clockAhead
    begin(
      submission.id, SubmissionCodec.encode(submission), submission, to: submission.department, isEarly: isEarly)
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

  static let offered = "must be refused: "

  func answeredOffer(_ tag: String, _ reply: Reply) {
    // A ledger that lacks the first one takes the second one for it.
    if world.isRolledBack || world.otherLedgerServed { return }
    world.sometimes.note(.refused)
    if case .rejected = reply.content { return }
    world.failures.append("\(name) is answered \(reply.content) where something \(tag)")
  }

  /// A plan or an event. `department`: where the plan is to run, if it says so.
  func submit(_ id: JobID, _ message: Publishing, to department: Department? = nil) {
    begin(id, message, nil, to: department, isEarly: false)
  }

  private func begin(
    _ id: JobID, _ message: Publishing, _ submission: Submission?, to department: Department?, isEarly: Bool
  ) {
    var entry = Open(
      message: message, submission: submission, department: department, since: world.moment, sentAt: .zero,
      isEarly: isEarly)
    if submission != nil {
      entry.submitting = world.record.invoke(.submit, id, at: world.moment)
      entry.accepting = world.record.invoke(.accept, id, at: world.moment)
      entry.waiting = world.record.invoke(.wait, id, at: world.moment)
    }
    open[id] = entry
    world.trace.say(world.now, name, "submits \(id)")
    send(id)
  }

  func send(_ id: JobID) {
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

  // MARK: Time

  /// How long a client waits for an answer, before it sends or asks again.
  private static let patience: Duration = .seconds(6)

  private func look(of connection: Int) {
    after(.milliseconds(world.number(700...1_500)), "looks at what is open") { [self] in
      guard connection == self.connection, publishing != nil else { return }
      followEvents()
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
}
