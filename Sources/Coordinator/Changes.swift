import Decisions
import JobModel
import JobTransport
import Ledger
import Logging

/// What is to be changed of a released job that no worker has yet.
enum Change: Sendable {
  /// Another priority, or another place in its order; who asked is answered.
  case rerank(Priority, OrderKey?, Standing, AnswerAddress?)
  /// It had to be started by a time that has passed.
  case tooLate
  /// It has waited for so long that it is published on a higher level, before others that came later.
  case age
}

extension Bookkeeper {
  /// Has a released job changed as soon as it is certain that no worker has it: its release is void for every worker
  /// that reads this, and then the coordinator claims it. The caller flushes the claims.
  func withdraw(
    _ job: LiveJob, for change: Change, _ turn: Turn
  ) throws {
    guard mayWithdraw(job, for: change) else { return }
    voids.add(
      job.release, .change, token: job.progress.token, isClaimed: claims.isClaimedByCoordinator(job.release))
    changes[job.release] = change
    // Before the probe of the claim: whoever echoes that has read this.
    turn.tell(.void(job.department, VoidChange(void: [job.release])))
    try carryOut(claims.claimForCoordinator(job.release), turn)
  }

  /// A job is changed only while it was never started; and to be moved, not while a message of an earlier release may be
  /// in the queue, or whoever moves it again and again would fill the queue with those.
  func mayWithdraw(_ job: LiveJob, for change: Change) -> Bool {
    guard changes[job.release] == nil, !job.progress.wasStarted else { return false }
    if case .rerank = change { return !voidPlaces.keys.contains { $0.job == job.id } }
    return true
  }

  /// No worker has the release, and none will start it. `isGone`: neither is there a message of it in the queue.
  func change(
    _ release: ReleaseID, isGone: Bool, _ turn: Turn
  ) throws {
    guard let change = changes.removeValue(forKey: release), var job = released[release.job], job.release == release
    else { return }
    if isGone {
      turn.tell(.void(job.department, VoidChange(forgotten: [release])))
    } else {
      try leaveBehind(&job, turn)
    }
    switch change {
    case .tooLate:
      guard case .finish(let outcome) = job.progress.apply(.failed(.tooLate())) else { return }
      try finish(job, outcome, Ending(at: now), turn)
    case .age:
      try releaseAnew(release, because: .withdrawn, turn)
    case .rerank(let priority, let order, let standing, let address):
      try place(job, priority, order, standing, turn)
      try releaseAnew(release, because: .withdrawn, turn)
      answerRerank(release.job, priority, order, address, turn)
    }
  }

  /// A worker runs it: what was to be changed stays as it is.
  func keep(_ release: ReleaseID, _ turn: Turn) {
    // Whoever runs it has its message.
    if released[release.job]?.release == release, released[release.job]?.isReturned == true {
      released[release.job]?.isReturned = false
      released[release.job]?.isConfirmed = true
      marks.confirmed.append(release)
    }
    guard voids.kept(release) == .forgotten, let job = released[release.job] else { return }
    turn.tell(.void(job.department, VoidChange(forgotten: [release])))
    if case .rerank(_, _, _, let address?) = changes.removeValue(forKey: release) {
      turn.tell(.failure(.cannotRerank(release.job, "it is running"), address))
    }
  }

  /// The job ends by another way, or has been started: nothing is to be changed any more.
  func dropChange(of release: ReleaseID, because reason: String = "it has ended", _ turn: Turn) {
    if case .rerank(_, _, _, let address?) = changes.removeValue(forKey: release) {
      turn.tell(.failure(.cannotRerank(release.job, reason), address))
    }
  }

  /// The old message may still be in the queue: until it is dropped it keeps the place, and the job has another one.
  private func leaveBehind(
    _ job: inout LiveJob, _ turn: Turn
  ) throws {
    try makeVoid(job.release, VoidPlace(of: job, slot: job.slot), turn)
    released[job.id] = nil
    job.slot = countReleased(job.priority, in: job.queue)
    released[job.id] = job
  }

  /// Gives a released job its new place: in the ledger, in the memory, and in the window.
  private func place(
    _ job: LiveJob, _ priority: Priority, _ order: OrderKey?, _ standing: Standing, _ turn: Turn
  ) throws {
    try turn.ledger.rerank(job.number, priority: priority, standing: standing, order: order)
    var job = job
    self[desk: job.department].give(job.slot, job.priority)
    released[job.id] = nil
    job.slot = countReleased(priority, in: job.queue)
    (job.priority, job.order, job.standing) = (priority, order, standing)
    released[job.id] = job
    // It may have left a shared place for one of a reserve.
    unfilled.insert(job.department)
  }

  /// It may be held for a handler by now.
  private func answerRerank(
    _ id: JobID, _ priority: Priority, _ order: OrderKey?, _ address: AnswerAddress?, _ turn: Turn
  ) {
    guard let address else { return }
    let state = released[id]?.progress.visibleState ?? .held
    let document = RerankDocument(job: id, state: state, priority: priority, rank: order?.rank)
    turn.tell(.reranked(document, address))
  }
}

extension JobFailure {
  static func cannotRerank(_ job: JobID, _ reason: String) -> JobFailure {
    JobFailure(code: "not_waiting", message: "job \(job) keeps its place: \(reason)")
  }
}
