package import JobModel

/// What a delivery or an answer means for a worker.
package enum TrayAction: Hashable, Sendable {
  /// Run the release; its report carries this token.
  case start(ReleaseID, token: Int)
  /// Ask the coordinator, with this number, and again until it answers.
  case claim(number: Int)
  /// The release is void: say in a `dropped` that it was not started, and ack when that message is confirmed.
  case drop(ReleaseID)
  /// There is no handler for the release here: say in a `returned` that it was not started, and ack when that message
  /// is confirmed.
  case giveBack(ReleaseID)
  /// The release is in the tray already, from an earlier connection: nothing to do.
  case adopted
  /// The release is not for this worker, or this is a second message of a release in the tray: ack this tag.
  case ack(UInt64)
  /// Nothing in the tray waits for this.
  case ignored
}

/// The worker's side of claims: the releases that the worker has in its hands, and the delivery tag of each.
///
///     delivered ─▶ claimed ─▶ runs ─▶ reported ─▶ off the tray
///         ├────────────────────▲
///         ├─▶ dropped (void) ──────────────────▶ off the tray
///         └─▶ returned (no handler) ───────────▶ off the tray
///
/// A release is in the tray once, however many messages of it were delivered. A run outlives a lost connection; claims,
/// drops and tags do not.
package struct Tray: Hashable, Sendable {
  enum Stage: Hashable, Sendable {
    case claiming(number: Int)
    case running(token: Int)
    /// The report is on its way.
    case reporting(token: Int)
    /// The release is void and was not started. The `dropped` is on its way.
    case dropping
    /// The release has no handler here and was not started. The `returned` is on its way.
    case givingBack
  }

  struct Entry: Hashable, Sendable {
    var stage: Stage
    /// Valid on the present connection only.
    var tag: UInt64?
    /// The coordinator has recorded that this worker has the release: the release needs no message any more.
    var isAdopted = false
    /// The run was to end, and does not.
    var isStuck = false
    /// The claim has another number since an answer came that a dead coordinator may have given.
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
  /// How many releases are in the worker's hands. Each holds a teller. Adopted releases count, too, although they hold
  /// none of the prefetch.
  package var count: Int { entries.count }

  /// A message of a release was delivered.
  ///
  /// `mustClaim`: the message is redelivered, or carries `teller-claim`, or its job has one attempt, or it is of another
  /// ledger or epoch. A void release is dropped only when its message is fresh. Of a release that must be claimed,
  /// another worker may have a run: the coordinator finds that out.
  ///
  /// The tags are of one connection: deliveries that were read on an earlier one must not be handed in after
  /// ``disconnected()``.
  ///
  /// `hasHandler`: a release without a handler here is given back without a claim. It may run elsewhere: the coordinator
  /// claims it for itself before it releases the job again.
  package mutating func delivered(
    _ release: ReleaseID, token: Int, tag: UInt64, mustClaim: Bool, hasHandler: Bool = true
  ) -> TrayAction {
    // While a release is being claimed, a second message of it is not started, even if that message needs no claim: the
    // answer is about the release, and would race with the run. One message is enough for the broker to hand it out
    // again; a second one would keep a teller from other jobs.
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

  /// The answer to a claim. An answer to a claim that is closed, or of an earlier connection, is ignored.
  ///
  /// An answer that was decided before the last probe that was read here is not believed. A coordinator tells its
  /// answers before it probes again, so this answer may be of a coordinator that has died. The next coordinator may
  /// have taken the echo of its probe as word that nothing was begun. So the release is claimed with a new number. A
  /// coordinator that answers the new number lives, and is believed, also where its own numbers are lower: those of
  /// another ledger, or of a ledger that was rolled back.
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
      // A claimed release has its tag: a lost connection ends the claim and the tag together.
      return entry.tag.map { .ack($0) } ?? .ignored
    }
  }

  private mutating func claimAnew(_ release: ReleaseID) -> TrayAction {
    lastClaim += 1
    entries[release]?.stage = .claiming(number: lastClaim)
    entries[release]?.isAskedAnew = true
    return .claim(number: lastClaim)
  }

  /// The handler has ended: the report is on its way. The release is listed until the report is confirmed.
  package mutating func finished(_ release: ReleaseID) {
    guard case .running(let token) = entries[release]?.stage else { return }
    entries[release]?.stage = .reporting(token: token)
    entries[release]?.isStuck = false
  }

  /// The report is confirmed. Returns the tag to ack; nil when the connection of the tag is lost.
  package mutating func reportConfirmed(_ release: ReleaseID) -> UInt64? {
    guard let entry = entries[release], case .reporting = entry.stage else { return nil }
    entries[release] = nil
    return entry.tag
  }

  /// The connection of the deliveries is lost. The broker hands the messages out again, to be claimed: so the tags are
  /// worthless, and claims and drops are forgotten. Runs and reports stay. On the next connection no probe has been
  /// read yet.
  package mutating func disconnected() {
    probe = 0
    for (release, entry) in entries {
      switch entry.stage {
      case .claiming, .dropping, .givingBack: entries[release] = nil
      case .running, .reporting: entries[release]?.tag = nil
      }
    }
  }

  /// A coordinator of another ledger than before has welcomed this worker. Its numbers have nothing to do with the
  /// numbers of the earlier one: an echo of an earlier number would count as an echo of its own.
  package mutating func ledgerChanged() { probe = 0 }

  /// A probe was read: the next presence, due at once, repeats its number.
  package mutating func probed(_ number: Int) {
    probe = max(probe, number)
  }
}

// MARK: - Void releases and adoption

extension Tray {
  /// The list of void releases in a welcome takes the place of the list before. Returns the releases that run here and
  /// whose jobs have ended: their runs are to be cancelled.
  package mutating func setVoid(_ releases: [ReleaseID], ended: [ReleaseID]) -> [ReleaseID] {
    void = Set(releases)
    return ended.filter(isRunning)
  }

  /// The list of void releases changes. Returns the releases that run here and whose jobs have ended: their runs are to
  /// be cancelled, and their reports are sent as usual. A claimed release is left to the answer of its claim. A void
  /// release whose job has not ended, and that runs already, runs on.
  package mutating func change(_ change: VoidChange) -> [ReleaseID] {
    void.subtract(change.forgotten)
    void.formUnion(change.void)
    return change.ended.filter(isRunning)
  }

  /// The `dropped` or the `returned` is confirmed. Returns the tag to ack; nil when the connection of the tag is lost.
  package mutating func dropConfirmed(_ release: ReleaseID) -> UInt64? {
    guard isDropping(release) else { return nil }
    return entries.removeValue(forKey: release)?.tag
  }

  /// The adoption of a release that runs here is recorded. Returns the tag to ack now; nil when the connection of the
  /// tag is lost. From then on every message of the release is acked.
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

  /// Whether the release is in the worker's hands without a message.
  package func isAdopted(_ release: ReleaseID) -> Bool { entries[release]?.isAdopted == true }

  /// The run was to end, and does not. Returns whether the release runs.
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
  /// The releases that a presence lists: those that run, and those whose report is not confirmed yet.
  package var listed: [RunningRelease] { running + reporting }

  package var running: [RunningRelease] {
    entries.compactMap { release, entry in
      guard case .running(let token) = entry.stage else { return nil }
      return RunningRelease(release: release, token: token, isStuck: entry.isStuck)
    }
  }

  /// Whether that run has not ended.
  package func isRunning(_ run: RunningRelease) -> Bool { entries[run.release]?.stage == .running(token: run.token) }

  package var reporting: [RunningRelease] {
    entries.compactMap { release, entry in
      if case .reporting(let token) = entry.stage { RunningRelease(release: release, token: token) } else { nil }
    }
  }

  /// The void releases that wait for the confirm of their `dropped`.
  package var dropping: [ReleaseID] { entries.filter { $0.value.stage == .dropping }.map(\.key) }

  /// The releases without a handler here that wait for the confirm of their `returned`.
  package var givingBack: [ReleaseID] { entries.filter { $0.value.stage == .givingBack }.map(\.key) }

  /// Whether the release was not started, and its message is to be acked once the word of that is confirmed.
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
