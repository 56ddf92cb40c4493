package import JobModel

/// The coordinator's side of claims: which are open, and whom each waits for.
///
/// A claim is answered `run` only after every welcomed worker, the one that asks included, has read a probe that was
/// sent after the claim came, and listed something else; and after a fence has come back behind every report that any of
/// them had sent by then. The one that asks is waited for too, because its question may have crossed the answer to
/// itself: it then runs the release already, and a second grant would make its report stale.
///
/// Claims go by the release, which a grant does not change; tokens only fence reports. Nothing here has a clock: who is
/// silent for too long is told by ``leasePassed(_:)``.
package struct Claims: Hashable, Sendable {
  /// What a worker's last presence said.
  struct View: Hashable, Sendable {
    /// The last number that had been used when it was welcomed.
    var since: Int
    var probe = 0
    var running: Set<ReleaseID> = []
  }

  /// The claims that wait for one probe.
  struct Round: Hashable, Sendable {
    var waitingFor: Set<WorkerID>
    /// How many claims are left in it; with the last one it ends.
    var claims: Int
  }

  /// The last number used; probes and fences share the numbers, so that neither is ever taken for another.
  package private(set) var number: Int
  /// Those that are waited for.
  private(set) var workers: [WorkerID: View] = [:]
  /// In the order they came.
  private(set) var open: [ReleaseID: [OpenClaim]] = [:]
  private(set) var rounds: [Int: Round] = [:]
  /// How many open claims wait for the next flush.
  private(set) var unprobed = 0

  /// No claims. `firstNumber` must be above every number that an earlier coordinator of this ledger used: an echo of one
  /// of its probes would count.
  package init(firstNumber: Int) {
    number = firstNumber - 1
  }

  /// No claims either, on a new connection of the same coordinator, or in one that began anew: those of earlier ones start
  /// over. These workers are waited for still, as if they had never been away.
  ///
  /// - Parameters:
  ///   - firstNumber: As above.
  ///   - workers: Each with the ``welcomedNumber(of:)`` of earlier claims of this ledger; nil: it is not known.
  package init(firstNumber: Int, waitingFor workers: [(id: WorkerID, since: Int?)]) {
    self.init(firstNumber: firstNumber)
    for worker in workers { self.workers[worker.id] = View(since: worker.since ?? number) }
  }

  /// The first number of an incarnation: those of a later one are all higher, and so are those of a later epoch, because a
  /// ledger that was rolled back counts its incarnations again. Added up, not put side by side: an epoch with more
  /// incarnations than have room goes on among the numbers of the next.
  package static func firstNumber(epoch: Int, incarnation: Int) -> Int {
    (epoch << Epoch.incarnationBits + incarnation) << Epoch.numberBits
  }

  package var isEmpty: Bool { open.isEmpty }

  /// Whether somebody asks for the release and is not answered yet.
  package func isOpen(_ release: ReleaseID) -> Bool { open[release] != nil }

  /// Whose presence an answer about the release waits for.
  package func awaited(for release: ReleaseID) -> Set<WorkerID> {
    (open[release] ?? []).reduce(into: []) { workers, claim in
      switch claim.stage {
      case .probing(let key): workers.formUnion(rounds[key]?.waitingFor ?? [])
      case .waiting: for round in rounds.values { workers.formUnion(round.waitingFor) }
      case .fenced: break
      }
    }
  }

  /// Whether the worker was welcomed before this number was used, and has been waited for ever since. A grant of that
  /// time which it does not list, when a later claim of the same release is concluded, never reached it: whoever runs
  /// something lists it until the report of it is confirmed, and that report would have come before the fence.
  package func isWelcomed(_ worker: WorkerID, since number: Int) -> Bool {
    workers[worker].map { $0.since < number } ?? false
  }

  /// The last number that had been used when the worker was welcomed; nil: it is not waited for.
  package func welcomedNumber(of worker: WorkerID) -> Int? { workers[worker]?.since }

  /// Whether the coordinator's own claim of the release is open.
  package func isClaimedByCoordinator(_ release: ReleaseID) -> Bool {
    open[release]?.contains { $0.claimant == .coordinator } == true
  }
}

// MARK: - Workers

extension Claims {
  /// From now on the worker is waited for; to be called before its welcome is sent, and again whenever a worker that is
  /// not waited for announces itself, and before that presence is handed to ``present(_:probe:running:)``.
  package mutating func welcome(_ worker: WorkerID) {
    guard workers[worker] == nil else { return }
    workers[worker] = View(since: number)
    for key in rounds.keys { rounds[key]?.waitingFor.insert(worker) }
  }

  /// The worker has drained: it runs nothing, and has no claim left.
  package mutating func goodbye(_ worker: WorkerID) -> [ClaimAction] { withdraw(worker) }

  /// The worker was silent for too long: it is not waited for until it is welcomed again, and its claims are forgotten.
  package mutating func leasePassed(_ worker: WorkerID) -> [ClaimAction] { withdraw(worker) }

  private mutating func withdraw(_ worker: WorkerID) -> [ClaimAction] {
    workers[worker] = nil
    for release in Array(open.keys) { _ = close(release) { $0.isOf(worker) } }
    for key in rounds.keys { rounds[key]?.waitingFor.remove(worker) }
    return fenceWhatIsClear()
  }

  /// A presence: the last probe the worker has read on its present connection (0: none), and what it runs or has not yet
  /// reported, without what it has by a token that was replaced: it was given up with that. A welcomed worker whose echo
  /// is older than an open probe is probed again. A presence of one that is not welcomed changes nothing.
  package mutating func present(
    _ worker: WorkerID, probe: Int, running: some Collection<ReleaseID>
  ) -> [ClaimAction] {
    guard workers[worker] != nil else { return [] }
    workers[worker]?.probe = probe
    workers[worker]?.running = Set(running)
    guard !rounds.isEmpty else { return [] }
    var actions = answerElsewhere(running, echoed: probe)
    for key in rounds.keys {
      if probe >= key { rounds[key]?.waitingFor.remove(worker) } else { rounds[key]?.waitingFor.insert(worker) }
    }
    actions += fenceWhatIsClear()
    if let newest = rounds.keys.max(), probe < newest { actions.append(.probe(number: newest, to: [worker])) }
    return actions
  }

  /// A listing counts only against claims whose probe it echoes: an older one may be of a run that has ended since.
  private mutating func answerElsewhere(_ listed: some Collection<ReleaseID>, echoed: Int) -> [ClaimAction] {
    var actions: [ClaimAction] = []
    for release in listed where open[release] != nil {
      let held = close(release) { claim in
        if case .probing(let probe) = claim.stage { probe <= echoed } else { false }
      }
      for claim in held {
        switch claim.claimant {
        case .worker(let request): actions.append(.answer(request, .elsewhere))
        case .coordinator: actions.append(.keep(release))
        }
      }
    }
    return actions
  }
}

// MARK: - Claims

extension Claims {
  /// A worker asks. `isCurrent`: the job has no outcome, and this is its current release. Asking again while the claim
  /// is open changes nothing; a new number of the same worker replaces the old one and starts over. A worker that is not
  /// welcomed gets no answer: nobody else's claim would wait for it. It asks again, and is welcomed by then.
  package mutating func claim(_ request: ClaimRequest, isCurrent: Bool) -> [ClaimAction] {
    guard isCurrent else { return [.answer(request, .drop)] }
    guard workers[request.worker] != nil else { return [] }
    if open[request.release]?.contains(where: { $0.isSameOrNewer(than: request) }) == true { return [] }
    _ = close(request.release) { $0.isOf(request.worker) }
    append(OpenClaim(claimant: .worker(request)), of: request.release)
    return []
  }

  /// The coordinator asks for itself, because a released job may be nowhere: its queue was empty, or the lease of its
  /// worker has passed. Ends in `releaseAnew`, in `keep`, or in silence when the release is superseded.
  package mutating func claimForCoordinator(_ release: ReleaseID) -> [ClaimAction] {
    if open[release]?.contains(where: { $0.claimant == .coordinator }) != true {
      append(OpenClaim(claimant: .coordinator), of: release)
    }
    return []
  }

  /// Probes for the claims that came since the last flush, all with one number; to be called at the end of each batch.
  ///
  /// While a probe is out, those that come wait for its round to end, and share the next one: every worker answers a probe
  /// with all that it runs, and many small batches would have all of them do nothing else.
  package mutating func flush() -> [ClaimAction] {
    guard unprobed > 0, rounds.isEmpty else { return [] }
    number += 1
    rounds[number] = Round(waitingFor: Set(workers.keys), claims: unprobed)
    unprobed = 0
    advance(to: .probing(number)) { $0 == .waiting }
    guard !workers.isEmpty else { return fenceWhatIsClear() }
    return [.probe(number: number, to: workers.keys.sorted { $0.text < $1.text })]
  }

  /// A fence has come back; one that nobody waits for is ignored. Of several claims of one release the first is granted,
  /// and all others start over with a new probe, sent behind the grants.
  package mutating func fenceReturned(_ number: Int) -> [ClaimAction] {
    let cleared = open.keys.filter { release in open[release]?.contains { $0.stage == .fenced(number) } == true }
    var actions: [ClaimAction] = []
    for release in Claims.inOrder(cleared) { actions += conclude(release, fence: number) }
    return actions + flush()
  }

  /// The job has its outcome or was released anew: who still asks for this release is told to drop it.
  package mutating func superseded(_ release: ReleaseID) -> [ClaimAction] {
    close(release) { _ in true }.compactMap { claim in
      if case .worker(let request) = claim.claimant { .answer(request, .drop) } else { nil }
    }
  }
}

// MARK: - Stages

extension Claims {
  private mutating func conclude(_ release: ReleaseID, fence: Int) -> [ClaimAction] {
    guard let index = open[release]?.firstIndex(where: { $0.stage == .fenced(fence) }),
      let claim = open[release]?.remove(at: index)
    else { return [] }
    switch claim.claimant {
    case .worker(let request):
      startOver(release)
      return [.grant(request)]
    case .coordinator:
      return [.releaseAnew(release)] + superseded(release)
    }
  }

  /// What is left of a release's claims waits for the next flush.
  private mutating func startOver(_ release: ReleaseID) {
    let claims = close(release) { _ in true }
    for claim in claims { append(OpenClaim(claimant: claim.claimant), of: release) }
  }

  private mutating func append(_ claim: OpenClaim, of release: ReleaseID) {
    open[release, default: []].append(claim)
    unprobed += 1
  }

  /// Takes out the claims of a release that match, and the rounds that have none left; returns them in their order.
  mutating func close(_ release: ReleaseID, where matches: (OpenClaim) -> Bool) -> [OpenClaim] {
    guard let claims = open[release] else { return [] }
    let closed = claims.filter(matches)
    let left = closed.isEmpty ? claims : claims.filter { !matches($0) }
    open[release] = left.isEmpty ? nil : left
    for claim in closed { leaveRound(claim) }
    return closed
  }

  private mutating func leaveRound(_ claim: OpenClaim) {
    switch claim.stage {
    case .waiting: unprobed -= 1
    case .fenced: break
    case .probing(let key):
      rounds[key]?.claims -= 1
      if rounds[key]?.claims == 0 { rounds[key] = nil }
    }
  }

  /// One fence for every claim whose probe has been echoed by all.
  private mutating func fenceWhatIsClear() -> [ClaimAction] {
    let clear = Set(rounds.filter { $0.value.waitingFor.isEmpty }.keys)
    guard !clear.isEmpty else { return [] }
    for key in clear { rounds[key] = nil }
    number += 1
    advance(to: .fenced(number)) { stage in
      if case .probing(let key) = stage { clear.contains(key) } else { false }
    }
    return [.fence(number: number)]
  }

  private mutating func advance(to stage: OpenClaim.Stage, where matches: (OpenClaim.Stage) -> Bool) {
    for (release, claims) in open where claims.contains(where: { matches($0.stage) }) {
      open[release] = claims.map { claim in
        matches(claim.stage) ? OpenClaim(claimant: claim.claimant, stage: stage) : claim
      }
    }
  }

  /// A fixed order, so that the same claims always give the same list of actions.
  private static func inOrder(_ releases: [ReleaseID]) -> [ReleaseID] {
    guard releases.count > 1 else { return releases }
    return releases.map { (key: $0.job.description, release: $0) }
      .sorted { ($0.key, $0.release.number) < ($1.key, $1.release.number) }
      .map(\.release)
  }
}
