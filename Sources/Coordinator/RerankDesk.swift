import Decisions
import JobModel
import JobTransport
import Ledger
import Logging

/// Waiting jobs that are given another place.
extension Bookkeeper {
  /// Moves a job that is held at once, and one that is released as soon as it is certain that no worker has it: then the
  /// answer comes later.
  ///
  /// - Returns: the answer, or why it keeps its place; nil when the answer comes later.
  func rerank(_ order: RerankOrder, _ address: AnswerAddress) throws(LedgerError) -> Result<RerankDocument, JobFailure>?
  {
    try turn { turn in
      guard let job = try turn.ledger.job(order.job) else { return .failure(.jobNotFound(order.job)) }
      guard job.outcome == nil else { return .failure(.cannotRerank(order.job, "it has ended")) }
      let isOrdered = self[desk: job.department].isOrdered
      guard isOrdered == (order.rank != nil) else { return .failure(.wrongPlace(job, isOrdered: isOrdered)) }
      guard let standing = try turn.ledger.standing(of: job.number) else { return .failure(.jobNotFound(order.job)) }
      let place = newPlace(of: job, order, standing)
      if let live = released[job.id] {
        return try rerank(live, place, address, turn)
      }
      return .success(try rerankHeld(job, place, turn))
    }
  }

  private struct Place {
    var priority: Priority
    var order: OrderKey?
    var standing: Standing
  }

  private func newPlace(of job: Job, _ order: RerankOrder, _ old: Standing) -> Place {
    let priority = order.priority ?? order.rank.map { Priority(rank: $0) } ?? job.priority
    var key = job.order
    if let rank = order.rank { key?.rank = rank }
    let standing = old.moved(from: job.priority, to: priority, worth: configuration.priorityWorth)
    return Place(priority: priority, order: key, standing: standing)
  }

  private func rerank(
    _ job: LiveJob, _ place: Place, _ address: AnswerAddress, _ turn: Turn
  ) throws -> Result<RerankDocument, JobFailure>? {
    if isQuiet { return .failure(.cannotRerank(job.id, "the ledger was rolled back; ask again later")) }
    if job.progress.wasStarted { return .failure(.cannotRerank(job.id, "it is running")) }
    let change = Change.rerank(place.priority, place.order, place.standing, address)
    guard mayWithdraw(job, for: change) else {
      return .failure(
        .cannotRerank(job.id, "it was moved, and its last message is still in the queue; ask again later"))
    }
    try withdraw(job, for: change, turn)
    try carryOut(claims.flush(), turn)
    return nil
  }

  private func rerankHeld(
    _ job: Job, _ place: Place, _ turn: Turn
  ) throws -> RerankDocument {
    try turn.ledger.rerank(job.number, priority: place.priority, standing: place.standing, order: place.order)
    self[desk: job.department].unhold(job.hold, job.priority)
    self[desk: job.department].hold(job.hold, place.priority)
    unfilled.insert(job.department)
    try fill(turn)
    let state = released[job.id]?.progress.visibleState ?? .held
    return RerankDocument(job: job.id, state: state, priority: place.priority, rank: place.order?.rank)
  }
}

extension JobFailure {
  fileprivate static func wrongPlace(_ job: Job, isOrdered: Bool) -> JobFailure {
    let text =
      isOrdered
      ? "department \"\(job.department)\" is ordered: give a rank, not a priority"
      : "department \"\(job.department)\" is not ordered: give a priority, not a rank"
    return JobFailure(code: "wrong_place", message: text)
  }
}
