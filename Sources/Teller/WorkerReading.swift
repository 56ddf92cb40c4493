import AMQP
import Logging
import JobModel
import JobTransport

/// What comes in: assignments and control messages, in the order of the wire.
extension WorkerLoop {
  func read(_ link: WorkerLink) async throws {
    while let batch = await link.inbox.nextBatch(atMost: WorkerLink.readLimit) {
      var settlements = Settlements()
      for delivery in batch { handle(delivery, &settlements) }
      try await settlements.settle(on: link.consuming)
      // The last claim may have been answered.
      endIfDrained()
    }
    try Task.checkCancellation()
    throw AMQPError.connectionLost(reason: "its deliveries ended")
  }

  private func handle(_ delivery: Delivery, _ settlements: inout Settlements) {
    if let department = consumed[delivery.consumerTag] {
      receive(delivery, in: department, &settlements)
    } else if delivery.consumerTag == WorkerLink.controlTag {
      settlements.acks.append(delivery.deliveryTag)
      obey(ControlCodec.decode(delivery), &settlements)
    } else {
      // Of a consumer that is cancelled by now: the drain has begun.
      settlements.returns.append(delivery.deliveryTag)
    }
  }

  private func receive(_ delivery: Delivery, in department: Department, _ settlements: inout Settlements) {
    do throws(Unreadable) {
      var assignment = try AssignmentCodec.decode(delivery)
      assignment.mustClaim = mustClaim(assignment, isRedelivered: delivery.isRedelivered)
      let waiting = Tellers.Waiting(assignment: assignment, department: department, tag: delivery.deliveryTag)
      if isDraining, jobs[assignment.release] == nil {
        // Given back when its consumer is cancelled; before, it would come straight back.
        tellers.wait(waiting)
      } else {
        take(waiting, &settlements)
      }
    } catch {
      logger.error("dropped a message in the queue of department \(department) that is no assignment: \(error)")
      settlements.rejects.append(delivery.deliveryTag)
    }
  }

  /// A redelivery may have been run before. So may what another ledger has released: its coordinator, if there still is
  /// one, knows.
  private func mustClaim(_ assignment: Assignment, isRedelivered: Bool) -> Bool {
    isRedelivered || assignment.mustClaim || assignment.maxAttempts <= 1 || assignment.ledger != ledger
  }

  /// Gives a delivery to a teller, or has it wait for one.
  private func take(_ delivery: Tellers.Waiting, _ settlements: inout Settlements) {
    let assignment = delivery.assignment
    let release = assignment.release
    // What is in the tray already has its teller.
    guard jobs[release] != nil || tellers.take(in: delivery.department) else { return tellers.wait(delivery) }
    let action = tray.delivered(
      release, token: assignment.token, tag: delivery.tag, mustClaim: assignment.mustClaim)
    if jobs[release] == nil {
      jobs[release] = JobInHand(assignment: assignment, department: delivery.department, token: assignment.token)
    }
    switch action {
    case .start(let release, let token): start(release, token: token, attempt: assignment.attempt)
    case .claim(let number): ask(release, ledger: assignment.ledger, number: number)
    case .ack(let tag): settlements.acks.append(tag)
    case .adopted, .ignored: break
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

extension WorkerLoop {
  private func obey(_ message: ControlMessage, _ settlements: inout Settlements) {
    switch message {
    case .welcome(let welcome): receive(welcome)
    case .probe(let number):
      tray.probed(number)
      // The presence is made after this, and lists everything that was read before.
      link?.presenceDue.raise()
    case .answer(let release, let claim, let verdict): receive(verdict, of: claim, for: release, &settlements)
    case .pulse: board.renew(WorkerPart.hearing)
    case .unreadable(let reason): logger.warning("a control message cannot be read: \(reason)")
    }
  }

  private func receive(_ welcome: Welcome) {
    guard let link, welcome.session == link.session else { return }
    guard welcome.unknown.isEmpty else { return fail(.unknownDepartments(welcome.unknown)) }
    if let ledger, ledger != welcome.ledger {
      logger.warning(
        """
        the coordinator has another ledger than before (\(welcome.ledger), before it was \(ledger)): going on with \
        it; what the earlier one released will be refused
        """)
    }
    ledger = welcome.ledger
    guard !isWelcomed else { return }
    isWelcomed = true
    saidItWaits = false
    link.staffingDue.raise()
    link.presenceDue.raise()
  }

  private func receive(
    _ verdict: Verdict, of claim: Int, for release: ReleaseID, _ settlements: inout Settlements
  ) {
    switch tray.answered(release, claim: claim, verdict) {
    case .start(let release, let token):
      guard case .run(_, let attempt) = verdict else { return }
      start(release, token: token, attempt: attempt)
    case .ack(let tag):
      settlements.acks.append(tag)
      guard let job = jobs[release] else { return }
      letGo(release, of: job)
      serveWaiting(in: job.department, &settlements)
    case .adopted, .claim, .ignored: break
    }
  }
}
