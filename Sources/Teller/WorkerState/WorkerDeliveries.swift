import AMQP
import Decisions
import JobModel
import JobTransport
import Logging

/// The worker's deliveries, in the order of the wire: assignments, and between them control messages.
extension WorkerState {
  mutating func receive(_ delivery: Delivery, at now: Instant) {
    if let department = tellers.department(ofConsumer: delivery.consumerTag) {
      receive(delivery, in: department, at: now)
    } else if delivery.consumerTag == WorkerLink.controlTag {
      act(.ack(delivery.deliveryTag))
      receive(ControlCodec.decode(delivery), at: now)
    } else {
      // Its consumer is cancelled by now.
      act(.requeue(delivery.deliveryTag))
    }
  }

  private mutating func receive(_ delivery: Delivery, in department: Department, at now: Instant) {
    guard let (decoded, problem) = read(delivery, in: department) else {
      return act(.reject(delivery.deliveryTag))
    }
    var assignment = decoded
    noteSilence(at: now)
    noteBegin(ofConsumer: delivery.consumerTag, in: department, at: now)
    assignment.mustClaim = mustClaim(assignment, delivery, in: department)
    let delivered = DeliveredAssignment(
      assignment: assignment, department: department, consumer: delivery.consumerTag, tag: delivery.deliveryTag,
      problem: problem)
    if isDraining || !tellers.serves(delivered), jobs[assignment.release] == nil {
      // Given back once its consumer is cancelled: before, the broker would deliver it here again.
      tellers.keepWaiting(delivered, since: now)
    } else {
      giveToTeller(delivered, at: now)
    }
  }

  /// The assignment of a delivery; nil: it has none.
  ///
  /// Of an assignment that cannot be read, the rest that can be, and the problem. Its job has to fail: else the
  /// coordinator would miss the message, release the job again, and so on without end.
  private mutating func read(_ delivery: Delivery, in department: Department) -> (Assignment, problem: String?)? {
    if QueueProbe.isProbe(delivery) { return nil }
    do throws(Unreadable) {
      return (try AssignmentCodec.decode(delivery), nil)
    } catch {
      guard let assignment = AssignmentCodec.remains(of: delivery, in: department) else {
        act(.log(.error, "dropped a message in the queue of department \(department) that is no assignment: \(error)"))
        return nil
      }
      act(.log(.error, "job \(assignment.job) in department \(department) cannot be read: \(error)"))
      return (assignment, "\(error)")
    }
  }

  /// Whether the assignment may have been run before, so that the coordinator must be asked: it is redelivered, or was
  /// released before its consumer began, or before the coordinator's present session, or by another ledger, or by this ledger
  /// in another epoch; or this worker was silent, and the job may have been released again. A job with one attempt is always
  /// claimed.
  ///
  /// Why the session matters: a coordinator that begins one publishes again what is not known to be in its queue. What an
  /// earlier session had sent may arrive behind that: its connection may have been waiting unread, as during an alarm. Both
  /// messages are of one release, and neither has a flag. A grant comes only after each worker has echoed a probe, and
  /// the probe says when the session began.
  ///
  /// The flag of a redelivery alone does not do: where the node of the queue is stopped in good order, and the worker had the
  /// message through another node, it comes back without it (RabbitMQ 4.3). The broker ends each consumer of such a queue.
  private func mustClaim(_ assignment: Assignment, _ delivery: Delivery, in department: Department) -> Bool {
    delivery.isRedelivered || pulses.isDoubtful || assignment.mustClaim || maxAttempts(of: assignment) == 1
      || assignment.ledger != ledger || assignment.epoch != epoch
      || !tellers.isReleasedLater(assignment, than: delivery.consumerTag, in: department)
      || isOfEarlierSession(assignment)
  }

  private func isOfEarlierSession(_ assignment: Assignment) -> Bool {
    guard let sessionBegan, let releasedAt = assignment.releasedAt else { return false }
    return releasedAt <= sessionBegan
  }

  /// A consumer is there: it has begun by now, if that was not known before.
  mutating func noteBegin(ofConsumer tag: String, in department: Department, at now: Instant) {
    guard let ledgerTime, !tellers.hasBegun(tag, in: department) else { return }
    tellers.begin(tag, at: ledgerTime.latest(at: now - beganAt), in: department)
  }

  /// How many attempts the job has, as far as anybody has said; nil: the default.
  private func maxAttempts(of assignment: Assignment) -> Int? {
    assignment.maxAttempts ?? policy(of: assignment)?.attempts
  }

  /// How the handler tries the job; nil: there is none.
  func policy(of assignment: Assignment) -> HandlerPolicy? { policies[assignment.kind]?[assignment.department] }

  /// Gives a delivery to a teller, or has it wait for one. A release that is in the tray already needs no teller more.
  private mutating func giveToTeller(_ delivery: DeliveredAssignment, at now: Instant) {
    let assignment = delivery.assignment
    let hasTeller = tray.has(assignment.release) || tellers.take(delivery)
    guard hasTeller || tellers.takesAhead(in: delivery.department) else {
      return tellers.keepWaiting(delivery, since: now)
    }
    let action = tray.delivered(
      assignment.release, token: assignment.token, tag: delivery.tag, mustClaim: assignment.mustClaim,
      hasHandler: delivery.problem != nil || policies[assignment.kind] != nil, hasTeller: hasTeller)
    if action == .keep { return keepAhead(delivery, at: now) }
    if case .ack(let tag) = action { return act(.ack(tag)) }
    // Where it took no teller, it is not to be started: its message counts all the same.
    tellers.hold(delivery)
    carryOut(action, of: delivery, at: now)
  }

  private mutating func carryOut(_ action: TrayAction, of delivery: DeliveredAssignment, at now: Instant) {
    let assignment = delivery.assignment
    if jobs[assignment.release] == nil { jobs[assignment.release] = JobInHand(delivery, at: now) }
    switch action {
    case .start(let release, let token): start(release, token: token, attempt: assignment.attempt, at: now)
    case .claim(let number): claim(assignment.release, number: number)
    case .drop(let release): publish(WorkerNotice.dropped, of: release)
    case .giveBack(let release):
      logMissingHandler(assignment)
      publish(WorkerNotice.returned, of: release)
    case .adopted: if tellers.redelivered(delivery) { act(.due(.staffing)) }
    case .keep, .ack, .ignored: break
    }
  }

  private mutating func keepAhead(_ delivery: DeliveredAssignment, at now: Instant) {
    tellers.keepWaiting(delivery, since: now)
    // The next handler that ends leaves its teller to this job: the loop is to hear of it at once.
    act(.takeRuns(worthwhile: 1))
  }

  /// Gives waiting deliveries to free tellers. What was taken ahead is in the tray: presences have listed it, so it starts.
  /// Any other is claimed: a presence that did not list it may have answered a probe.
  mutating func serveWaiting(in department: Department, at now: Instant) {
    guard !isDraining else { return }
    noteSilence(at: now)
    while var delivery = tellers.nextToServe(in: department) {
      let release = delivery.assignment.release
      if tray.isWaiting(release, tag: delivery.tag) {
        _ = tellers.take(delivery)
        carryOut(tray.served(release), of: delivery, at: now)
      } else {
        delivery.assignment.mustClaim = true
        giveToTeller(delivery, at: now)
      }
    }
  }

  /// Drops a release that was taken ahead, and is void by now.
  mutating func drop(_ release: ReleaseID, at now: Instant) {
    guard let tag = tray.tag(of: release), let delivery = tellers.dropWaiting(release, tag: tag) else { return }
    carryOut(.drop(release), of: delivery, at: now)
  }
}
