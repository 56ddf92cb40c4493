package import JobModel

/// The coordinator's side of claims: which claims are open, and for which workers each waits. A claim is the question
/// whether a release may run. A worker asks it, or the coordinator itself.
///
///     claim ─▶ waiting ──flush──▶ probing ──every worker has echoed──▶ fenced ──fence is back──▶ run
///                                    └── a worker lists the release ─▶ elsewhere
///
/// A claim is answered `run` only after every welcomed worker has read a probe that was sent after the claim came, and
/// did not list the release; and after a fence has come back behind every report that the workers had sent by then. The
/// worker that asks is waited for, too: its question may have crossed the answer to the same question. Then this worker
/// runs the release already, and a second grant would make its report stale.
///
/// Claims go by the release, which a grant does not change; tokens only fence reports. Nothing here has a clock:
/// ``leasePassed(_:)`` says which worker was silent for too long.
package struct Claims: Hashable, Sendable {
  /// What a worker's last presence said.
  struct View: Hashable, Sendable {
    /// The last number that had been used when the worker was welcomed.
    var since: Int
    var probe = 0
    var running: Set<ReleaseID> = []
  }

  /// The claims that wait for one probe.
  struct Round: Hashable, Sendable {
    var waitingFor: Set<WorkerID>
    /// How many claims are left in the round. With the last one the round ends.
    var claims: Int
  }

  /// The last number used. Probes and fences share the numbers, so that no probe is ever taken for a fence.
  package private(set) var number: Int
  /// The welcomed workers. Every claim waits for them.
  private(set) var workers: [WorkerID: View] = [:]
  /// The open claims of each release, in the order in which they came.
  private(set) var open: [ReleaseID: [OpenClaim]] = [:]
  private(set) var rounds: [Int: Round] = [:]
  /// How many open claims wait for the next flush.
  private(set) var unprobed = 0

  /// No claims. `firstNumber` must be above every number that an earlier coordinator of this ledger used: else the echo
  /// of an earlier probe would count.
  package init(firstNumber: Int) {
    number = firstNumber - 1
  }

  /// No claims, on a new connection of a coordinator, or after its restart: workers ask again. The given workers are
  /// waited for, as if they had never been away.
  ///
  /// - Parameters:
  ///   - firstNumber: See ``init(firstNumber:)``.
  ///   - workers: Each with the ``welcomedNumber(of:)`` that it had before; nil: that number is not known.
  package init(firstNumber: Int, waitingFor workers: [(id: WorkerID, since: Int?)]) {
    self.init(firstNumber: firstNumber)
    for worker in workers { self.workers[worker.id] = View(since: worker.since ?? number) }
  }

  /// The first number of an incarnation. The numbers of a later incarnation are all higher, and so are those of a later
  /// epoch: a ledger that was rolled back counts its incarnations again. An epoch with more incarnations than have room
  /// goes on among the numbers of the next epoch.
  package static func firstNumber(epoch: Int, incarnation: Int) -> Int {
    (epoch << Epoch.incarnationBits + incarnation) << Epoch.numberBits
  }

  package var isEmpty: Bool { open.isEmpty }

  /// Whether a claim of the release is open.
  package func isOpen(_ release: ReleaseID) -> Bool { open[release] != nil }

  /// The workers for whose presence an answer about the release waits.
  package func awaited(for release: ReleaseID) -> Set<WorkerID> {
    (open[release] ?? []).reduce(into: []) { workers, claim in
      switch claim.stage {
      case .probing(let key): workers.formUnion(rounds[key]?.waitingFor ?? [])
      case .waiting: for round in rounds.values { workers.formUnion(round.waitingFor) }
      case .fenced: break
      }
    }
  }

  /// Whether the worker was welcomed before this number was used, and has been waited for ever since.
  ///
  /// Why that matters: a worker lists each release that it runs until the report of it is confirmed, and such a report
  /// comes before the fence. So if a later claim of the release is concluded, and this worker did not list the release,
  /// the grant never reached the worker.
  package func isWelcomed(_ worker: WorkerID, since number: Int) -> Bool {
    workers[worker].map { $0.since < number } ?? false
  }

  /// The last number that had been used when the worker was welcomed; nil: the worker is not waited for.
  package func welcomedNumber(of worker: WorkerID) -> Int? { workers[worker]?.since }

  /// Whether the coordinator's own claim of the release is open.
  package func isClaimedByCoordinator(_ release: ReleaseID) -> Bool {
    open[release]?.contains { $0.claimant == .coordinator } == true
  }
}

// MARK: - Workers

extension Claims {
  /// From now on the worker is waited for. Call this before the welcome is sent. Call it again when a worker that is
  /// not waited for announces itself, before its presence is handed to ``present(_:probe:running:)``.
  package mutating func welcome(_ worker: WorkerID) {
    guard workers[worker] == nil else { return }
    workers[worker] = View(since: number)
    for key in rounds.keys { rounds[key]?.waitingFor.insert(worker) }
  }

  /// The worker has drained: it runs nothing, and has no claim left.
  package mutating func goodbye(_ worker: WorkerID) -> [ClaimAction] { withdraw(worker) }

  /// The worker is on a new connection. It has forgotten its claims of the one before, and would not hear their answers.
  package mutating func reconnected(_ worker: WorkerID) {
    for release in Array(open.keys) { _ = close(release) { $0.isOf(worker) } }
  }

  /// The worker was silent for too long. It is not waited for until it is welcomed again, and its claims are forgotten.
  package mutating func leasePassed(_ worker: WorkerID) -> [ClaimAction] { withdraw(worker) }

  private mutating func withdraw(_ worker: WorkerID) -> [ClaimAction] {
    workers[worker] = nil
    for release in Array(open.keys) { _ = close(release) { $0.isOf(worker) } }
    for key in rounds.keys { rounds[key]?.waitingFor.remove(worker) }
    return fenceWhatIsClear()
  }

  /// A worker says how it stands. If it has not read the newest open probe, it is probed again. A presence of a worker
  /// that is not welcomed changes nothing.
  ///
  /// - Parameters:
  ///   - worker: The worker.
  ///   - probe: The last probe that the worker has read on its present connection; 0: none.
  ///   - running: The releases that the worker runs, or has not reported yet. Without those that it runs by a token that
  ///     was replaced: they were taken from it with that token.
  /// - Returns: What is to be done, in order.
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

  /// A listed release answers only claims whose probe the worker had read: in an older list the run may have ended
  /// since.
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
  /// A worker asks whether it may run a release. The same question again changes nothing while the claim is open; with
  /// a new number it replaces the old claim, and starts over. A worker that is not welcomed gets no answer, because no
  /// other claim would wait for it. It asks again, and is welcomed by then. `isCurrent`: the job has no outcome, and
  /// this is its current release.
  package mutating func claim(_ request: ClaimRequest, isCurrent: Bool) -> [ClaimAction] {
    guard isCurrent else { return [.answer(request, .drop)] }
    guard workers[request.worker] != nil else { return [] }
    if open[request.release]?.contains(where: { $0.isSameOrNewer(than: request) }) == true { return [] }
    _ = close(request.release) { $0.isOf(request.worker) }
    append(OpenClaim(claimant: .worker(request)), of: request.release)
    return []
  }

  /// The coordinator asks for itself, because a release may be nowhere: its queue was empty, or the lease of its worker
  /// has passed. The claim ends in `releaseAnew`, in `keep`, or in nothing when the release is superseded, or when a worker
  /// asks about it, too.
  package mutating func claimForCoordinator(_ release: ReleaseID) -> [ClaimAction] {
    if open[release]?.contains(where: { $0.claimant == .coordinator }) != true {
      append(OpenClaim(claimant: .coordinator), of: release)
    }
    return []
  }

  /// Sends one probe for all claims that came since the last flush. Call this at the end of each batch.
  ///
  /// While a probe is out, new claims wait for its round to end, and share the next probe. Every worker answers a probe
  /// with the list of all that it runs: with a probe for each small batch the workers would do nothing else.
  package mutating func flush() -> [ClaimAction] {
    guard unprobed > 0, rounds.isEmpty else { return [] }
    number += 1
    rounds[number] = Round(waitingFor: Set(workers.keys), claims: unprobed)
    unprobed = 0
    advance(to: .probing(number)) { $0 == .waiting }
    guard !workers.isEmpty else { return fenceWhatIsClear() }
    return [.probe(number: number, to: workers.keys.sorted { $0.text < $1.text })]
  }

  /// A fence has come back. A fence for which no claim waits is ignored. Of several claims of one release the first one
  /// is granted. The others start over with a new probe, which is sent behind the grants.
  package mutating func fenceReturned(_ number: Int) -> [ClaimAction] {
    let cleared = open.keys.filter { release in open[release]?.contains { $0.stage == .fenced(number) } == true }
    var actions: [ClaimAction] = []
    for release in Claims.inOrder(cleared) { actions += conclude(release, fence: number) }
    return actions + flush()
  }

  /// The job has its outcome, or another release: each worker that still asks for this release is told to drop it.
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
      // A worker that asks has the message, so the release is not lost. Its own claim is answered now, or in its turn.
      if open[release]?.isEmpty == false { return conclude(release, fence: fence) }
      open[release] = nil
      return [.releaseAnew(release)]
    }
  }

  /// The claims of a release that are left wait for the next flush.
  private mutating func startOver(_ release: ReleaseID) {
    let claims = close(release) { _ in true }
    for claim in claims { append(OpenClaim(claimant: claim.claimant), of: release) }
  }

  private mutating func append(_ claim: OpenClaim, of release: ReleaseID) {
    open[release, default: []].append(claim)
    unprobed += 1
  }

  /// Takes out the claims of a release that match, and the rounds that have no claim left.
  ///
  /// - Returns: These claims, in the order in which they came.
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

  /// Sends one fence for all claims whose probe every worker has echoed.
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
