import Decisions
import JobModel
import JobTransport
import Ledger
import Logging

/// Orders a worker to drain. The order is a part of the worker's staffing: so the worker is told again until it says that
/// it drains, and a coordinator that takes over tells it, too. The order holds for as long as the worker's process lives.
struct Draining {
  let roster: Roster
  let staffing: WorkerStaffing
  let logger: Logger

  func drain(_ order: DrainOrder, at now: Duration, _ turn: Turn) throws -> Result<WorkerDrain, JobFailure> {
    switch worker(order.worker) {
    case .failure(let failure): return .failure(failure)
    case .success(let worker):
      let before = roster.workers[worker]
      let isNew = before?.isToDrain == false && before?.isDraining == false
      try turn.ledger.orderDrain(of: worker)
      roster.orderDrain(of: worker)
      if before?.isDraining == false { turn.tell(.staffing(worker, staffing.orders(for: worker))) }
      if isNew { logger.notice("a worker is to drain", metadata: ["name": "\(before?.name ?? "")"]) }
      return .success(
        WorkerDrain(
          id: worker, name: before?.name ?? "", isNew: isNew,
          isTold: before?.isDraining == true || roster.hears(worker, at: now), isDraining: before?.isDraining == true,
          running: before?.running.count ?? 0, lastSeenMs: roster.silence(of: worker, at: now).milliseconds))
    }
  }

  /// The worker of that id, or the only one of that name.
  private func worker(_ text: String) -> Result<WorkerID, JobFailure> {
    if roster.workers[WorkerID(text)] != nil { return .success(WorkerID(text)) }
    let named = roster.workers.filter { $0.value.name.isExactly(text) }.keys.sorted { $0.text < $1.text }
    guard let first = named.first else { return .failure(.noSuchWorker(text)) }
    return named.count == 1 ? .success(first) : .failure(.ambiguousWorker(text, named))
  }
}

extension JobFailure {
  fileprivate static func noSuchWorker(_ text: String) -> JobFailure {
    JobFailure(
      code: Code.noWorker,
      message: "there is no worker with the id or the name \"\(text)\": it has left, or was silent for too long; "
        + "see `teller workers`")
  }

  fileprivate static func ambiguousWorker(_ name: String, _ ids: [WorkerID]) -> JobFailure {
    let shown = ids.prefix(shownWorkers).map(\.text).joined(separator: ", ")
    let rest = ids.count > shownWorkers ? ", …" : ""
    return JobFailure(
      code: Code.ambiguousWorker,
      message: "\(ids.count) workers have the name \"\(name)\", and none of them was told: name one by its id: "
        + "\(shown)\(rest)")
  }

  /// How many workers of one name are listed.
  private static let shownWorkers = 5
}
