import Decisions
import JobModel
import Ledger

/// Releases that no worker is to start any more. Their messages cannot be taken out of a queue: the workers are told to
/// drop them. Each release keeps its place until no worker can have it.
struct Withdrawing {
  let departments: Departments
  let releases: Releases
  let book: ClaimBook
  let time: LedgerTime

  /// The release of a job that has ended, or has another release.
  func makeVoid(_ job: LiveJob, _ turn: Turn) throws {
    // Nothing is on its way of what was given back, or to a department that is out.
    let isPublishingOver = job.isConfirmed || job.isReturned || departments[job.department].isUnreachable
    let place = VoidPlace(
      number: job.number, place: job.place, since: time.now, heldSince: time.monotonic,
      isPublishingOver: isPublishingOver)
    // A release that was to be changed keeps what was learnt of its message.
    if !releases.void.jobEnded(job.release, place: place) {
      let isClaimed = book.claims.isClaimedByCoordinator(job.release)
      releases.void.add(job.release, .ended, token: job.progress.token, isClaimed: isClaimed, place: place)
    }
    departments.countVoid(1, in: job.department)
    try turn.ledger.addVoid(VoidRecord(job.release, place))
    turn.tell(.void(job.department, VoidChange(void: [job.release], ended: [job.release])))
  }

  /// Something was learnt of a release. If no worker can have it any more, its place is free.
  ///
  /// - Returns: What is to be done about it, and what was to be changed of its job.
  func noteLearnt(
    _ release: ReleaseID, _ turn: Turn, _ news: (inout VoidReleases, ReleaseID) -> VoidReleases.Step
  ) throws -> (step: VoidReleases.Step, change: Change?) {
    let (place, change) = (releases.void.place(of: release), releases.void.change(of: release))
    let step = news(&releases.void, release)
    if step == .forgotten, let place { try free(release, place, turn) }
    return (step, change)
  }

  private func free(_ release: ReleaseID, _ place: VoidPlace, _ turn: Turn) throws {
    try turn.ledger.removeVoid(release)
    departments.countVoid(-1, in: place.department)
    departments.give(place.place)
    turn.tell(.void(place.department, VoidChange(forgotten: [release])))
    try supersede(release, turn)
  }

  /// The job has another turn in the order of its department, and its old messages, which nobody starts, do not hold up
  /// that turn.
  func regroup(_ job: JobID, to group: OrderGroup?) {
    for (release, void) in releases.void.places where release.job == job && void.place.group != group {
      releases.void.moved(release, to: departments.regroup(void.place, to: group))
    }
  }

  /// The job has its outcome, or another release: workers that still ask for this one drop it.
  func supersede(_ release: ReleaseID, _ turn: Turn) throws {
    for case .answer(let claim, let verdict) in book.claims.superseded(release) { try answer(claim, verdict, turn) }
  }

  func answer(_ claim: ClaimRequest, _ verdict: Verdict, _ turn: Turn) throws {
    let answer = ClaimAnswer(
      release: claim.release, claim: claim.number, verdict: verdict, number: book.claims.number)
    turn.tell(.verdict(claim.worker, answer))
    // A worker that is told to drop the release has the message in hand.
    guard verdict == .drop, releases.void.purpose(of: claim.release) == .ended else { return }
    _ = try noteLearnt(claim.release, turn) { $0.claimConcluded($1) }
  }
}

// MARK: - Changes

extension Withdrawing {
  /// A job is changed only while it was never started. A job is not moved while a message of an earlier release may be
  /// in the queue: else somebody who moves it again and again would fill the queue with old messages.
  func mayWithdraw(_ job: LiveJob, for change: Change) -> Bool {
    guard releases.void.change(of: job.release) == nil, !job.progress.wasStarted else { return false }
    if case .rerank = change { return !releases.void.places.contains { $0.release.job == job.id } }
    return true
  }

  /// Has a released job changed as soon as it is certain that no worker has it: its release is void for every worker
  /// that reads this, and then the coordinator claims it.
  func withdraw(_ job: LiveJob, for change: Change, _ turn: Turn) {
    guard mayWithdraw(job, for: change) else { return }
    let isClaimed = book.claims.isClaimedByCoordinator(job.release)
    releases.void.add(job.release, .change, token: job.progress.token, isClaimed: isClaimed, change: change)
    // Before the probe of the claim: a worker that echoes the probe has read this.
    turn.tell(.void(job.department, VoidChange(void: [job.release])))
    _ = book.claims.claimForCoordinator(job.release)
  }

  /// A worker runs the release, or its job ends in another way: the job is not changed.
  func abandonChange(of release: ReleaseID, because reason: String, _ turn: Turn) throws {
    let (step, change) = try noteLearnt(release, turn) { $0.kept($1) }
    if step == .forgotten { dropChange(change, of: release, because: reason, turn) }
  }

  /// The release is not void any more, and its job is not changed.
  func dropChange(_ change: Change?, of release: ReleaseID, because reason: String, _ turn: Turn) {
    refuseChange(change, of: release, because: reason, turn)
    if let job = releases[release.job] { turn.tell(.void(job.department, VoidChange(forgotten: [release]))) }
  }

  /// Tells the operator who asked for the change that it is not made.
  func refuseChange(_ change: Change?, of release: ReleaseID, because reason: String, _ turn: Turn) {
    guard case .rerank(_, _, _, let address?) = change else { return }
    turn.tell(.failure(.cannotRerank(release.job, reason), address))
  }
}

// MARK: - Telling workers

extension Withdrawing {
  /// The void releases of these departments, for a worker's welcome; those whose job has ended are named twice.
  func voidReleases(of departments: [Department]) -> (void: [ReleaseID], ended: [ReleaseID]) {
    let named = Set(departments)
    let ended = releases.void.places.filter { named.contains($0.place.department) }.map(\.release)
    let changing = releases.void.changing.filter { release in
      releases[release.job].map { named.contains($0.department) } ?? false
    }
    return (ended + changing, ended)
  }

  /// Tells all workers again which releases are void: the messages of the last session may not have arrived.
  func tellAll(_ turn: Turn) {
    for (department, entries) in Dictionary(grouping: releases.void.places, by: \.place.department) {
      let releases = entries.map(\.release)
      turn.tell(.void(department, VoidChange(void: releases, ended: releases)))
    }
  }
}

extension VoidRecord {
  fileprivate init(_ release: ReleaseID, _ place: VoidPlace) {
    self.init(
      release: release, number: place.number, department: place.department, priority: place.place.priority,
      since: place.since, kind: place.place.queue.kind)
  }
}

extension JobFailure {
  static func cannotRerank(_ job: JobID, _ reason: String) -> JobFailure {
    JobFailure(code: Code.notWaiting, message: "job \(job) keeps its place: \(reason)")
  }
}
