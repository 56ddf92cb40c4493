import Decisions
import JobModel

/// Everybody who waits for an answer: submitters, earlier submitters of the same job, and requests for outcomes.
final class Audience {
  var polls = LongPolls()
  var keyPolls = KeyPolls()
  var earlier = EarlierSubmitters()

  /// Answers a submitter, unless he asked for nothing.
  /// `decided`: what else an acceptance says.
  func answer(
    _ reply: ReplyAddress?, _ job: JobID, _ content: Reply.Content, also decided: DecidedPart? = nil, _ turn: Turn
  ) {
    guard let reply else { return }
    if case .outcome = content, reply.wait == .accepted { return }
    let message = Reply(job: job.description, correlationID: reply.correlationID, content: content, decided: decided)
    let isFirst = content == .accepted && reply.wait == .outcome && !turn.acceptsAtOnce
    turn.tell(isFirst ? .acceptance(to: reply.replyTo, message) : .reply(to: reply.replyTo, message))
  }

  /// Tells the outcome of a job, or of a plan, to everyone who waits for it, or for the outcome of its key.
  func tellEnd(of id: JobID, _ outcome: Outcome, to reply: ReplyAddress?, key: JobKey? = nil, _ turn: Turn) {
    answer(reply, id, .outcome(outcome), turn)
    for submitter in earlier.ended(id) { answer(submitter, id, .outcome(outcome), turn) }
    turn.tell(polls.ended(id).map { .polled($0) })
    if let key { turn.tell(keyPolls.ended(key).map { .keyPolled($0) }) }
  }

  /// A job, or a plan, was submitted again: both submitters are told the outcome.
  ///
  /// - Returns: Whether the address is a new one, to be recorded: the ledger keeps the last one, since earlier submitters
  ///   may be gone.
  func repeated(
    _ id: JobID, _ outcome: Outcome?, known: ReplyAddress?, _ reply: ReplyAddress?, _ decided: DecidedPart, _ turn: Turn
  ) -> Bool {
    answer(reply, id, .duplicate, also: decided, turn)
    guard let reply, reply.wait == .outcome else { return false }
    if let outcome {
      answer(reply, id, .outcome(outcome), turn)
      return false
    }
    guard known != reply else { return false }
    if let known { earlier.add(known, of: id) }
    return true
  }

  /// A new session: everybody who waits asks again.
  func forgetAll() {
    polls.forgetAll()
    keyPolls.forgetAll()
    earlier = EarlierSubmitters()
  }
}
