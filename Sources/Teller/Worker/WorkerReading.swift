import AMQP
import Decisions
import JobModel
import JobTransport
import Logging

/// What comes in, in the order of the wire: assignments, and between them control messages.
extension WorkerLoop {
  func read(_ link: WorkerLink) async throws {
    while let batch = await link.inbox.nextBatch(atMost: WorkerLink.readLimit) {
      var settlements = Settlements()
      threads.gathering {
        for delivery in batch { handle(delivery, &settlements) }
      }
      try await settlements.settle(on: link.consuming)
      // The last claim may have been answered.
      endIfDrained()
    }
    try Task.checkCancellation()
    throw AMQPError.connectionLost(reason: "its deliveries ended")
  }

  private func handle(_ delivery: Delivery, _ settlements: inout Settlements) {
    if let department = tellers.department(ofConsumer: delivery.consumerTag) {
      receive(delivery, in: department, &settlements)
    } else if delivery.consumerTag == WorkerLink.controlTag {
      settlements.acks.append(delivery.deliveryTag)
      obey(ControlCodec.decode(delivery), &settlements)
    } else {
      // Of a consumer that is cancelled by now.
      settlements.returns.append(delivery.deliveryTag)
    }
  }

  private func receive(_ delivery: Delivery, in department: Department, _ settlements: inout Settlements) {
    guard let (decoded, problem) = read(delivery, in: department) else {
      return settlements.rejects.append(delivery.deliveryTag)
    }
    var assignment = decoded
    assignment.mustClaim = mustClaim(assignment, isRedelivered: delivery.isRedelivered)
    let waiting = Tellers.Waiting(
      assignment: assignment, department: department, consumer: delivery.consumerTag, tag: delivery.deliveryTag,
      problem: problem)
    if isDraining || !tellers.serves(waiting), jobs[assignment.release] == nil {
      // Given back when its consumer is cancelled; before, it would come straight back.
      tellers.wait(waiting)
    } else {
      take(waiting, &settlements)
    }
  }

  /// What was delivered; nil: nothing for a teller. Of an assignment that cannot be read, what is left of it and why it
  /// cannot be: its job is to fail, or the coordinator would miss its message, release it again, and so on for ever.
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

  /// A redelivery may have been run before. So may what another ledger has released, or this one in another epoch, before
  /// it was put back to an earlier state: the coordinator knows.
  private func mustClaim(_ assignment: Assignment, isRedelivered: Bool) -> Bool {
    isRedelivered || assignment.mustClaim || assignment.maxAttempts <= 1
      || assignment.ledger != ledger || assignment.epoch != epoch
  }

  /// Gives a delivery to a teller, or has it wait for one.
  private func take(_ delivery: Tellers.Waiting, _ settlements: inout Settlements) {
    let assignment = delivery.assignment
    let release = assignment.release
    guard tellers.take(delivery) else { return tellers.wait(delivery) }
    let action = tray.delivered(
      release, token: assignment.token, tag: delivery.tag, mustClaim: assignment.mustClaim,
      hasHandler: delivery.problem != nil || registry.handler(for: assignment.kind) != nil)
    if jobs[release] == nil {
      jobs[release] = JobInHand(
        assignment: assignment, problem: delivery.problem, department: delivery.department, token: assignment.token)
    }
    switch action {
    case .start(let release, let token): start(release, token: token, attempt: assignment.attempt)
    case .claim(let number): ask(release, ledger: assignment.ledger, number: number)
    case .drop(let release): sayDropped(release, ledger: assignment.ledger)
    case .giveBack(let release): giveBack(release, assignment)
    case .ack(let tag): settlements.acks.append(tag)
    case .adopted: tellers.takeAgain(delivery)
    case .ignored: break
    }
  }

  /// Gives free tellers what waits for them. It waited behind whatever was read meanwhile, and a probe may have been
  /// answered without it: so it is claimed.
  func serveWaiting(in department: Department, _ settlements: inout Settlements) {
    guard !isDraining else { return }
    while var waiting = tellers.nextToServe(in: department) {
      waiting.assignment.mustClaim = true
      take(waiting, &settlements)
    }
  }
}
