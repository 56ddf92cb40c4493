package import JobModel

/// What a delivery or an answer means for a worker.
package enum TrayAction: Hashable, Sendable {
  /// Run it; its report carries this token.
  case start(ReleaseID, token: Int)
  /// Ask the coordinator, with this number, and again until it answers.
  case claim(number: Int)
  /// It is void: say in a `dropped` that it was not started, and ack when that is confirmed.
  case drop(ReleaseID)
  /// There is no handler for it here: say in a `returned` that it was not started, and ack when that is confirmed.
  case giveBack(ReleaseID)
  /// It is in the tray already, from an earlier connection: nothing to do.
  case adopted
  /// It is not for this worker, or a second copy of what it has in its hands: ack this tag.
  case ack(UInt64)
  /// Nothing in the tray waits for this.
  case ignored
}

/// The worker's side of claims: the releases it has in its hands, and the delivery tag that waits for each.
///
/// A release is claimed, run, reported, or dropped, and is in the tray once however many copies of it were delivered. What
/// runs outlives a lost connection; claims, drops and tags do not.
package struct Tray: Hashable, Sendable {
  enum Stage: Hashable, Sendable {
    case claiming(number: Int)
    case running(token: Int)
    /// Its report is on its way.
    case reporting(token: Int)
    /// It is void and was not started; that it was dropped is on its way.
    case dropping
    /// It has no handler here and was not started; that it is given back is on its way.
    case givingBack
  }

  struct Entry: Hashable, Sendable {
    var stage: Stage
    /// Valid on the present connection only.
    var tag: UInt64?
    /// The coordinator has recorded that this worker has it: it needs no message any more.
    var isAdopted = false
    /// It was to end, and does not.
    var isStuck = false
    /// Its claim has another number since an answer came that a dead coordinator may have given.
    var isAskedAnew = false
  }

  private(set) var entries: [ReleaseID: Entry] = [:]
  /// Releases that must not be started when they come fresh from their queue.
  package private(set) var void: Set<ReleaseID> = []
  private(set) var lastClaim = 0
  /// The last probe that was read on the present connection; 0: none.
  package private(set) var probe = 0

  package init() {}

  package var isEmpty: Bool { entries.isEmpty }
  /// How many releases are in the worker's hands; each holds a teller. Those that are adopted count too, although they
  /// hold none of the prefetch.
  package var count: Int { entries.count }

  /// A delivery. `mustClaim`: it is redelivered, or carries `teller-claim`, or its job has one attempt, or it is of
  /// another ledger or epoch. A void release is dropped only when it is fresh: another worker may run one that must be
  /// claimed, and the coordinator finds that out.
  ///
  /// The tags are of one connection: deliveries that were read on an earlier one must not be handed in after
  /// ``disconnected()``.
  ///
  /// `hasHandler`: what has none is given back without being claimed. Also what may run elsewhere: the coordinator claims
  /// it for itself before it releases it again.
  package mutating func delivered(
    _ release: ReleaseID, token: Int, tag: UInt64, mustClaim: Bool, hasHandler: Bool = true
  ) -> TrayAction {
    // A copy of what is being claimed is not started even if it may run at once by itself: the answer is about the
    // release, and would race with it. One copy is enough for the broker to hand it out again; a second one would keep a
    // teller from other jobs.
    if let entry = entries[release] {
      guard entry.tag == nil, !entry.isAdopted else { return .ack(tag) }
      entries[release]?.tag = tag
      return .adopted
    }
    guard hasHandler else {
      entries[release] = Entry(stage: .givingBack, tag: tag)
      return .giveBack(release)
    }
    guard mustClaim else {
      guard !void.contains(release) else {
        entries[release] = Entry(stage: .dropping, tag: tag)
        return .drop(release)
      }
      entries[release] = Entry(stage: .running(token: token), tag: tag)
      return .start(release, token: token)
    }
    lastClaim += 1
    entries[release] = Entry(stage: .claiming(number: lastClaim), tag: tag)
    return .claim(number: lastClaim)
  }

  /// The answer to a claim. One to a claim that is closed, or of an earlier connection, is ignored.
  ///
  /// One that was decided before the last probe that was read here is not believed: a coordinator tells what it has decided
  /// before it probes again, so this may be of one that has died, and the next one may have taken the echo as word that
  /// nothing was begun. It is claimed with a new number then. Whatever answers that number lives, and is believed, also
  /// where its own numbers are lower: of another ledger, or of one that was rolled back.
  package mutating func answered(_ answer: ClaimAnswer) -> TrayAction {
    let release = answer.release
    guard let entry = entries[release], entry.stage == .claiming(number: answer.claim) else { return .ignored }
    if let number = answer.number, number < probe, !entry.isAskedAnew { return claimAnew(release) }
    switch answer.verdict {
    case .run(let token, _):
      entries[release]?.stage = .running(token: token)
      return .start(release, token: token)
    case .elsewhere, .drop:
      entries[release] = nil
      // What is being claimed has its tag: a lost connection ends the claim with it.
      return entry.tag.map { .ack($0) } ?? .ignored
    }
  }

  private mutating func claimAnew(_ release: ReleaseID) -> TrayAction {
    lastClaim += 1
    entries[release]?.stage = .claiming(number: lastClaim)
    entries[release]?.isAskedAnew = true
    return .claim(number: lastClaim)
  }

  /// The handler has ended: the report is on its way, and the release is listed until it is confirmed.
  package mutating func finished(_ release: ReleaseID) {
    guard case .running(let token) = entries[release]?.stage else { return }
    entries[release]?.stage = .reporting(token: token)
    entries[release]?.isStuck = false
  }

  /// The report is confirmed; returns the tag to ack, none if the connection it came on is lost.
  package mutating func reportConfirmed(_ release: ReleaseID) -> UInt64? {
    guard let entry = entries[release], case .reporting = entry.stage else { return nil }
    entries[release] = nil
    return entry.tag
  }

  /// The connection of the deliveries is lost: the broker hands them out again, to be claimed, so the tags are worthless,
  /// and claims and drops forgotten. What runs or is being reported stays. On the next connection no probe has been read
  /// yet.
  package mutating func disconnected() {
    probe = 0
    for (release, entry) in entries {
      switch entry.stage {
      case .claiming, .dropping, .givingBack: entries[release] = nil
      case .running, .reporting: entries[release]?.tag = nil
      }
    }
  }

  /// A coordinator of another ledger than before has welcomed this worker: its numbers have nothing to do with the others,
  /// and the echo of one of those would count as one of its own.
  package mutating func ledgerChanged() { probe = 0 }

  /// A probe was read: the next presence, due at once, repeats its number.
  package mutating func probed(_ number: Int) {
    probe = max(probe, number)
  }
}

// MARK: - Void releases and adoption

extension Tray {
  /// The list of a welcome, in the place of all that was known before. Returns what runs of those whose job has ended: to
  /// be cancelled.
  package mutating func setVoid(_ releases: [ReleaseID], ended: [ReleaseID]) -> [ReleaseID] {
    void = Set(releases)
    return ended.filter(isRunning)
  }

  /// Returns what runs of the releases whose job has ended: to be cancelled; their reports are sent as usual. What is
  /// being claimed is left to its answer. A void release whose job has not ended, and that runs already, runs on.
  package mutating func change(_ change: VoidChange) -> [ReleaseID] {
    void.subtract(change.forgotten)
    void.formUnion(change.void)
    return change.ended.filter(isRunning)
  }

  /// That it was dropped, or is given back, is confirmed; returns the tag to ack, none if the connection it came on is
  /// lost.
  package mutating func dropConfirmed(_ release: ReleaseID) -> UInt64? {
    guard isDropping(release) else { return nil }
    return entries.removeValue(forKey: release)?.tag
  }

  /// The adoption of what runs is recorded; returns the tag to ack now, none if the connection it came on is lost. From
  /// then on every copy of it is acked.
  package mutating func adopted(_ release: ReleaseID) -> UInt64? {
    guard let entry = entries[release] else { return nil }
    switch entry.stage {
    case .claiming, .dropping, .givingBack: return nil
    case .running, .reporting:
      entries[release]?.tag = nil
      entries[release]?.isAdopted = true
      return entry.tag
    }
  }

  /// Whether it is in the worker's hands without a message.
  package func isAdopted(_ release: ReleaseID) -> Bool { entries[release]?.isAdopted == true }

  /// It was to end, and does not; returns whether it runs.
  @discardableResult
  package mutating func stuck(_ release: ReleaseID) -> Bool {
    guard isRunning(release) else { return false }
    entries[release]?.isStuck = true
    return true
  }

  private func isRunning(_ release: ReleaseID) -> Bool {
    if case .running = entries[release]?.stage { true } else { false }
  }
}

extension Tray {
  /// What a presence lists: everything that runs or whose report is not yet confirmed.
  package var listed: [RunningRelease] { running + reporting }

  package var running: [RunningRelease] {
    entries.compactMap { release, entry in
      guard case .running(let token) = entry.stage else { return nil }
      return RunningRelease(release: release, token: token, isStuck: entry.isStuck)
    }
  }

  package var reporting: [RunningRelease] {
    entries.compactMap { release, entry in
      if case .reporting(let token) = entry.stage { RunningRelease(release: release, token: token) } else { nil }
    }
  }

  /// What is void and waits for the confirm of its `dropped`.
  package var dropping: [ReleaseID] { entries.filter { $0.value.stage == .dropping }.map(\.key) }

  /// What has no handler here, and waits for the confirm of its `returned`.
  package var givingBack: [ReleaseID] { entries.filter { $0.value.stage == .givingBack }.map(\.key) }

  /// Whether it was not started, and its message is to be acked once that is confirmed.
  package func isDropping(_ release: ReleaseID) -> Bool {
    switch entries[release]?.stage {
    case .dropping, .givingBack: true
    case .claiming, .running, .reporting, nil: false
    }
  }

  /// The claims without an answer, to be asked again; by number.
  package var openClaims: [(release: ReleaseID, number: Int)] {
    entries
      .compactMap { release, entry -> (release: ReleaseID, number: Int)? in
        if case .claiming(let number) = entry.stage { (release, number) } else { nil }
      }
      .sorted { $0.number < $1.number }
  }
}
