import AMQP
import Decisions
import JobModel
import JobTransport
import Logging

/// The worker's deliveries, in the order of the wire: assignments, and between them control messages.
extension WorkerLoop {
  func read(_ link: WorkerLink) async throws {
    while let batch = await link.inbox.nextBatch(atMost: WorkerLink.readLimit) {
      var acknowledgements = Acknowledgements()
      threads.gathering {
        for delivery in batch { handle(delivery, &acknowledgements) }
      }
      try await acknowledgements.send(on: link.consuming)
      // The last open claim may have been answered.
      endIfDrained()
    }
    try Task.checkCancellation()
    throw AMQPError.connectionLost(reason: "its deliveries ended")
  }

  private func handle(_ delivery: Delivery, _ acknowledgements: inout Acknowledgements) {
    if let department = tellers.department(ofConsumer: delivery.consumerTag) {
      receive(delivery, in: department, &acknowledgements)
    } else if delivery.consumerTag == WorkerLink.controlTag {
      acknowledgements.acks.append(delivery.deliveryTag)
      receive(ControlCodec.decode(delivery), &acknowledgements)
    } else {
      // Its consumer is cancelled by now.
      acknowledgements.returns.append(delivery.deliveryTag)
    }
  }

  private func receive(_ delivery: Delivery, in department: Department, _ acknowledgements: inout Acknowledgements) {
    guard let (decoded, problem) = read(delivery, in: department) else {
      return acknowledgements.rejects.append(delivery.deliveryTag)
    }
    var assignment = decoded
    noteSilence()
    noteBegin(ofConsumer: delivery.consumerTag, in: department)
    assignment.mustClaim = mustClaim(assignment, delivery, in: department)
    let delivered = DeliveredAssignment(
      assignment: assignment, department: department, consumer: delivery.consumerTag, tag: delivery.deliveryTag,
      problem: problem)
    if isDraining || !tellers.serves(delivered), jobs[assignment.release] == nil {
      // Given back once its consumer is cancelled: before, the broker would deliver it here again.
      tellers.keepWaiting(delivered)
    } else {
      giveToTeller(delivered, &acknowledgements)
    }
  }

  /// The assignment of a delivery; nil: it has none.
  ///
  /// Of an assignment that cannot be read, the rest that can be, and the problem. Its job has to fail: else the
  /// coordinator would miss the message, release the job again, and so on for ever.
  private func read(_ delivery: Delivery, in department: Department) -> (Assignment, problem: String?)? {
    if QueueProbe.isProbe(delivery) { return nil }
    do throws(Unreadable) {
      return (try AssignmentCodec.decode(delivery), nil)
    } catch {
      guard let assignment = AssignmentCodec.remains(of: delivery, in: department) else {
        logger.error("dropped a message in the queue of department \(department) that is no assignment: \(error)")
        return nil
      }
      logger.error("job \(assignment.job) in department \(department) cannot be read: \(error)")
      return (assignment, "\(error)")
    }
  }

  /// Whether the assignment may have been run before, so that the coordinator must be asked: it is redelivered, or was
  /// released before its consumer began, or by another ledger, or by this ledger in another epoch; or this worker was silent,
  /// and the job may have been released again. A job with one attempt is always claimed.
  ///
  /// The flag of a redelivery alone does not do: where the node of the queue is stopped in good order, and the worker had the
  /// message through another node, it comes back without it (RabbitMQ 4.3). The broker ends each consumer of such a queue.
  private func mustClaim(_ assignment: Assignment, _ delivery: Delivery, in department: Department) -> Bool {
    delivery.isRedelivered || isDoubtful || assignment.mustClaim || maxAttempts(of: assignment) == 1
      || assignment.ledger != ledger || assignment.epoch != epoch
      || !tellers.isReleasedLater(assignment, than: delivery.consumerTag, in: department)
  }

  /// A consumer is there: it has begun by now, if that was not known before.
  func noteBegin(ofConsumer tag: String, in department: Department) {
    guard let ledgerTime, !tellers.hasBegun(tag, in: department) else { return }
    tellers.begin(tag, at: ledgerTime.latest(at: .now - beganAt), in: department)
  }

  /// After a silence, until its own pulse has come back.
  var isDoubtful: Bool { pulses.heard < pulses.awaited }

  /// How many attempts the job has, as far as anybody has said; nil: the default.
  private func maxAttempts(of assignment: Assignment) -> Int? {
    assignment.maxAttempts ?? registry.handlers[assignment.kind]?.policy(in: assignment.department).attempts
  }

  /// Gives a delivery to a teller, or has it wait for one. A release that is in the tray already needs no teller more.
  private func giveToTeller(_ delivery: DeliveredAssignment, _ acknowledgements: inout Acknowledgements) {
    let assignment = delivery.assignment
    let hasTeller = tray.has(assignment.release) || tellers.take(delivery)
    guard hasTeller || tellers.takesAhead(in: delivery.department) else { return tellers.keepWaiting(delivery) }
    let action = tray.delivered(
      assignment.release, token: assignment.token, tag: delivery.tag, mustClaim: assignment.mustClaim,
      hasHandler: delivery.problem != nil || registry.handlers[assignment.kind] != nil, hasTeller: hasTeller)
    if action == .keep { return keepAhead(delivery) }
    if case .ack(let tag) = action { return acknowledgements.acks.append(tag) }
    // Where it took no teller, it is not to be started: its message counts all the same.
    tellers.hold(delivery)
    carryOut(action, of: delivery)
  }

  private func carryOut(_ action: TrayAction, of delivery: DeliveredAssignment) {
    let assignment = delivery.assignment
    if jobs[assignment.release] == nil {
      jobs[assignment.release] = JobInHand(
        assignment: assignment, problem: delivery.problem, department: delivery.department)
    }
    switch action {
    case .start(let release, let token): start(release, token: token, attempt: assignment.attempt)
    case .claim(let number): claim(assignment.release, number: number)
    case .drop(let release): publish(Notice.dropped, of: release)
    case .giveBack(let release):
      logMissingHandler(assignment)
      publish(Notice.returned, of: release)
    case .adopted: if tellers.redelivered(delivery) { link?.staffingDue.raise() }
    case .keep, .ack, .ignored: break
    }
  }

  private func keepAhead(_ delivery: DeliveredAssignment) {
    tellers.keepWaiting(delivery)
    // The next handler that ends leaves its teller to this job: the loop is to hear of it at once.
    finishedRuns.signal(at: 1)
  }

  /// Gives waiting deliveries to free tellers. What was taken ahead is in the tray: presences have listed it, so it starts.
  /// Any other is claimed: a presence that did not list it may have answered a probe.
  func serveWaiting(in department: Department, _ acknowledgements: inout Acknowledgements) {
    guard !isDraining else { return }
    noteSilence()
    while var delivery = tellers.nextToServe(in: department) {
      let release = delivery.assignment.release
      if tray.isWaiting(release, tag: delivery.tag) {
        _ = tellers.take(delivery)
        carryOut(tray.served(release), of: delivery)
      } else {
        delivery.assignment.mustClaim = true
        giveToTeller(delivery, &acknowledgements)
      }
    }
  }

  /// Drops a release that was taken ahead, and is void by now.
  func drop(_ release: ReleaseID) {
    guard let tag = tray.tag(of: release), let delivery = tellers.dropWaiting(release, tag: tag) else { return }
    carryOut(.drop(release), of: delivery)
  }
}
