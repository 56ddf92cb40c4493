import Decisions
import JobModel
import JobTransport
import Ledger

/// Gives waiting jobs another place: a held job at once, a released one as soon as it is certain that no worker has it.
struct Reranking {
  let departments: Departments
  let releases: Releases
  let withdrawing: Withdrawing
  let epoch: LedgerEpoch
  let worth: Duration

  /// The answer to the operator. A held job that was moved may be released at the end of the same turn.
  enum Answer {
    case moved(Job, Place)
    case refused(JobFailure)
    /// The answer comes when it is certain that no worker has the job.
    case later
  }

  /// The new place.
  struct Place {
    var priority: Priority
    var order: OrderKey?
    var standing: Standing
  }

  func rerank(_ order: RerankOrder, _ address: AnswerAddress, _ turn: Turn) throws -> Answer {
    guard let job = try turn.ledger.job(order.job), let standing = try turn.ledger.standing(of: job.number) else {
      return .refused(.jobNotFound(order.job))
    }
    guard job.outcome == nil else { return .refused(.cannotRerank(order.job, "it has ended")) }
    let isOrdered = departments[job.department].isOrdered
    guard isOrdered == (order.rank != nil) else { return .refused(.wrongPlace(job, isOrdered: isOrdered)) }
    let place = place(of: job, order, standing)
    guard let live = releases[job.id] else { return .moved(try move(job, place, turn), place) }
    if let reason = reasonNotToMove(live) { return .refused(.cannotRerank(job.id, reason)) }
    withdrawing.withdraw(live, for: .rerank(place.priority, place.order, place.standing, address), turn)
    return .later
  }

  private func place(of job: Job, _ order: RerankOrder, _ old: Standing) -> Place {
    let priority = order.priority ?? order.rank.map { Priority(rank: $0) } ?? job.priority
    var key = job.order
    if let rank = order.rank { key?.rank = rank }
    return Place(
      priority: priority, order: key, standing: old.moved(from: job.priority, to: priority, worth: worth))
  }

  private func reasonNotToMove(_ job: LiveJob) -> String? {
    if epoch.isQuiet { return "the ledger was rolled back; ask again later" }
    if job.progress.wasStarted { return "it is running" }
    guard withdrawing.mayWithdraw(job, for: .rerank(job.priority, nil, job.standing, nil)) else {
      return "it was moved, and its last message is still in the queue; ask again later"
    }
    return nil
  }

  private func move(_ job: Job, _ place: Place, _ turn: Turn) throws -> Job {
    try turn.ledger.rerank(job.number, priority: place.priority, standing: place.standing, order: place.order)
    withdrawing.regroup(job.id, to: place.order?.group)
    departments.unhold(job.hold, job.priority, in: job.department)
    departments.hold(job.hold, place.priority, in: job.department)
    turn.placed(job.id, of: job.plan)
    return job
  }

  /// The answer about a held job, as the turn has left the job.
  func document(_ job: Job, _ place: Place) -> JobPlace {
    let state = releases.live.state(of: job.id)
    return JobPlace(job: job.id, state: state, priority: place.priority, rank: place.order?.rank)
  }
}

extension JobFailure {
  fileprivate static func wrongPlace(_ job: Job, isOrdered: Bool) -> JobFailure {
    let text =
      isOrdered
      ? "department \"\(job.department)\" is ordered: give a rank, not a priority"
      : "department \"\(job.department)\" is not ordered: give a priority, not a rank"
    return JobFailure(code: Code.wrongPlace, message: text)
  }
}
