import Decisions
import JobModel
import JobTransport
import Ledger

/// Changes released jobs, now that no worker has them and none will start them.
struct Changing {
  let departments: Departments
  let releases: Releases
  let withdrawing: Withdrawing
  let reissuing: Reissuing
  let holding: Holding
  let ending: Ending
  let time: LedgerTime

  /// `change`: nil means that nothing is to be done. `isGone`: the message of the release is not in the queue any more.
  func carryOut(_ change: Change?, of release: ReleaseID, isGone: Bool, _ turn: Turn) throws {
    guard let change, var job = releases.live[release] else { return }
    if isGone {
      turn.tell(.void(job.department, VoidChange(forgotten: [release])))
    } else {
      try leaveBehind(&job, turn)
    }
    switch change {
    case .tooLate:
      guard case .finish(let outcome) = job.progress.apply(.failed(.tooLate())) else { return }
      try ending.finish(job, outcome, LastRun(at: time.now), turn)
    case .age: try reissuing.releaseAnew(release, because: .withdrawn, turn)
    case .rerank(let priority, let order, let standing, let address):
      let hasOtherTurn = order?.group != job.order?.group
      try move(job, priority, order, standing, turn)
      if hasOtherTurn, departments[job.department].isOrdered {
        try waitForTurn(release, turn)
      } else {
        try reissuing.releaseAnew(release, because: .withdrawn, turn)
      }
      answer(release.job, priority, order, address, turn)
    }
  }

  /// The old message may still be in the queue, and keeps its place until it is dropped: the job takes another place.
  private func leaveBehind(_ job: inout LiveJob, _ turn: Turn) throws {
    try withdrawing.makeVoid(job, turn)
    job.place = departments.takeRegardless(job.priority, in: job.queue, group: job.order?.group)
    releases[job.id] = job
  }

  /// Gives a released job its new place: in the ledger, in the memory, and in the window.
  private func move(
    _ job: LiveJob, _ priority: Priority, _ order: OrderKey?, _ standing: Standing, _ turn: Turn
  ) throws {
    try turn.ledger.rerank(job.number, priority: priority, standing: standing, order: order)
    withdrawing.regroup(job.id, to: order?.group)
    var job = job
    // The job may leave a shared place, and take a place of a reserve.
    departments.give(job.place)
    job.place = departments.takeRegardless(priority, in: job.queue, group: order?.group)
    (job.order, job.standing) = (order, standing)
    releases[job.id] = job
  }

  /// A job of another rank is not released beside those that are: it waits until the order comes to it.
  private func waitForTurn(_ release: ReleaseID, _ turn: Turn) throws {
    guard let job = releases.live[release] else { return }
    try withdrawing.supersede(release, turn)
    try holding.holdForTurn(job, turn)
  }

  /// The job may be held by now.
  private func answer(
    _ id: JobID, _ priority: Priority, _ order: OrderKey?, _ address: AnswerAddress?, _ turn: Turn
  ) {
    guard let address else { return }
    let state = releases.live.state(of: id)
    turn.tell(.reranked(JobPlace(job: id, state: state, priority: priority, rank: order?.rank), address))
  }
}
