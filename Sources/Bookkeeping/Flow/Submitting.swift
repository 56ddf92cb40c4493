import Decisions
import JobModel
import JobTransport
import Ledger

/// A batch of submissions of all sorts: each is accepted, or rejected without harm to the others.
struct Submitting {
  let configuration: CoordinatorConfiguration
  let accepting: Accepting
  let plans: PlanAccepting
  let events: PlanEvents
  let refusals: Refusals
  let time: LedgerTime
  let epoch: LedgerEpoch

  /// - Returns: What has to be parked before its submission is acked.
  func accept(_ batch: [Incoming], _ turn: Turn) throws -> [Refusal] {
    let now = time.now
    var refused: [Refusal] = []
    var passes = Passes(configuration.access)
    for (index, incoming) in batch.enumerated() {
      let pass = passes.pass(of: incoming.user)
      do {
        switch incoming.content {
        case .job(let submission): try accept(submission, by: pass, at: now, turn)
        case .plan(let plan): try plans.accept(plan, by: pass, at: now, turn)
        case .start(let start): try plans.start(start, by: pass, at: now, turn)
        case .event(let event): try events.receive(event, by: pass, at: now, turn)
        case .choice(let choice): try events.choose(choice, by: pass, at: now, turn)
        case .rejected(let rejection): throw pass.answer(to: rejection)
        }
      } catch let rejection as Rejection {
        guard reject(rejection, incoming, turn) else { continue }
        refused.append(Refusal(index: index, failure: rejection.failure))
        try turn.tellParked(rejection, incoming.content, at: now)
      }
    }
    return refused
  }

  /// Its message may come again: what is a duplicate now is one then.
  private func accept(_ submission: Submission, by pass: Pass, at now: Timestamp, _ turn: Turn) throws {
    guard case .known(let first) = try accepting.accept(submission, by: pass, at: now, turn),
      first.id != submission.id, first.number != 0
    else { return }
    try turn.ledger.noteDuplicate(submission.id, of: first.number)
  }

  /// Whether a submission that came ahead of its durable message is to be looked at.
  func mayAcceptEarly(_ incoming: Incoming) -> Bool {
    guard case .job(let submission) = incoming.content else { return false }
    return EarlyCodec.mayCome(submission) && !epoch.isQuiet
  }

  /// Accepts submissions that came ahead of their durable messages. A submission that is known, or is to be rejected, is left
  /// to its durable message.
  func acceptEarly(_ batch: [Incoming], _ turn: Turn) throws {
    let now = time.now
    var passes = Passes(configuration.access)
    turn.acceptsAtOnce = true
    for incoming in batch {
      guard case .job(let submission) = incoming.content, try turn.ledger.job(submission.id) == nil else { continue }
      do {
        try accepting.accept(submission, by: passes.pass(of: incoming.user), at: now, turn)
      } catch is Rejection {
        continue
      }
    }
  }

  /// Answers a rejected submission.
  ///
  /// - Returns: Whether the submission is to be parked: nobody is there to be answered, or its body was over the cap, so
  ///   that nobody has read it.
  private func reject(_ rejection: Rejection, _ incoming: Incoming, _ turn: Turn) -> Bool {
    turn.tally.reject(rejection.failure.code)
    if rejection.failure.code == JobFailure.Code.notAllowed {
      refusals.noteNotAllowed(rejection.failure)
    } else {
      refusals.note(.submission, rejection.failure.description)
    }
    // Such messages would push out the messages that are parked for people.
    if configuration.access.isBoundHere(incoming.user) { return false }
    guard let reply = rejection.reply else { return true }
    let message = Reply(
      job: rejection.messageID, correlationID: reply.correlationID, content: .rejected(rejection.failure))
    turn.tell(.reply(to: reply.replyTo, message))
    return incoming.isUnread
  }
}
