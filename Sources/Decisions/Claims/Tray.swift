package import JobModel

/// What a delivery or an answer means for a worker.
package enum TrayAction: Hashable, Sendable {
  /// Run the release; its report carries this token.
  case start(ReleaseID, token: Int)
  /// No teller is free: the release waits in the worker's hands until ``Tray/served(_:)``.
  case keep
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
///         ├────────▲───────────▲
///         ├─▶ waits ┴──────────┘
///         │     ├─▶ given back (drain, pause, fewer tellers) ─▶ off the tray
///         ├─────┴─▶ dropped (void) ───────────▶ off the tray
///         └─▶ returned (no handler) ──────────▶ off the tray
///
/// A release is in the tray once, however many messages of it were delivered. A run outlives a lost connection; claims,
/// drops, tags, and releases that wait for a teller do not.
///
/// A release that waits may begin without a claim at any moment. So a presence lists it from the moment when its message
/// was read, and for claims it is as good as a run. It leaves the tray before its message goes back to the queue. One that
/// must be claimed, is being claimed, dropped or given back is listed as such: its message is not lost.
package struct Tray: Hashable, Sendable {
  enum Stage: Hashable, Sendable {
    /// The release was taken ahead, and waits for a teller. `mustClaim`: it is claimed before it runs, and while it waits
    /// it says nothing about other messages of the release.
    case waiting(token: Int, mustClaim: Bool)
    /// The worker has asked whether it may run the release. `token`: that of the message.
    case claiming(number: Int, token: Int)
    case running(token: Int)
    /// The report is on its way.
    case reporting(token: Int)
    /// The release is void and was not started. The `dropped` is on its way. `token`: that of the message.
    case dropping(token: Int)
    /// The release has no handler here and was not started. The `returned` is on its way. `token`: that of the message.
    case givingBack(token: Int)
  }

  struct Entry: Hashable, Sendable {
    var stage: Stage
    /// Valid on the present connection only.
    var tag: UInt64?
    /// The coordinator has recorded that this worker has the release: the release needs no message any more.
    var isAdopted = false
    /// The run was to end, and does not.
    var isStuck = false
    /// The last probe that had been read when the claim got another number, because a dead coordinator may have answered the
    /// one before; nil: that has not happened.
    var askedBehind: Int?
  }

  private(set) var entries: [ReleaseID: Entry] = [:]
  /// Releases that must not be started when they come fresh from their queue.
  package private(set) var void: Set<ReleaseID> = []
  private(set) var lastClaim = 0
  /// The last probe that was read on the present connection; 0: none.
  package private(set) var probe = 0

  package init() {}

  package var isEmpty: Bool { entries.isEmpty }
  /// How many releases are in the worker's hands. Adopted releases count, too, although they hold none of the prefetch.
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
  ///
  /// `hasTeller`: without a teller the release waits. It is not claimed before a teller is free: a claim that is granted
  /// counts as a run, and could not be given back without the loss of an attempt.
  package mutating func delivered(
    _ release: ReleaseID, token: Int, tag: UInt64, mustClaim: Bool, hasHandler: Bool = true, hasTeller: Bool = true
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
      entries[release] = Entry(stage: .givingBack(token: token), tag: tag)
      return .giveBack(release)
    }
    guard mustClaim || !void.contains(release) else {
      entries[release] = Entry(stage: .dropping(token: token), tag: tag)
      return .drop(release)
    }
    entries[release] = Entry(stage: .waiting(token: token, mustClaim: mustClaim), tag: tag)
    return hasTeller ? served(release) : .keep
  }

  /// A teller is free for a release that waits: it starts, or is claimed.
  package mutating func served(_ release: ReleaseID) -> TrayAction {
    guard case .waiting(let token, let mustClaim) = entries[release]?.stage else { return .ignored }
    guard mustClaim else {
      entries[release]?.stage = .running(token: token)
      return .start(release, token: token)
    }
    return .claim(number: beginClaim(of: release, token: token))
  }

  /// The answer to a claim. An answer to a claim that is closed, or of an earlier connection, is ignored.
  ///
  /// An answer that was decided before the last probe that was read here is not believed. A coordinator sends its answers
  /// before it probes again, so this answer may be of a coordinator that has died. The next coordinator may have concluded
  /// from the echo of its probe that nothing was begun. So the release is claimed with a new number. An answer to that is
  /// believed even if its own number is lower, as those of another ledger are, unless a higher probe was read meanwhile.
  package mutating func answered(_ answer: ClaimAnswer) -> TrayAction {
    let release = answer.release
    guard let entry = entries[release], case .claiming(answer.claim, let claimed) = entry.stage else { return .ignored }
    if let number = answer.number, number < probe, entry.askedBehind ?? -1 < probe {
      entries[release]?.askedBehind = probe
      return .claim(number: beginClaim(of: release, token: claimed))
    }
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

  /// - Returns: The number of the claim.
  private mutating func beginClaim(of release: ReleaseID, token: Int) -> Int {
    lastClaim += 1
    entries[release]?.stage = .claiming(number: lastClaim, token: token)
    return lastClaim
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
  /// worthless, and claims, drops, and releases that wait are forgotten. Runs and reports stay. On the next connection no
  /// probe has been read yet.
  package mutating func disconnected() {
    probe = 0
    for (release, entry) in entries {
      switch entry.stage {
      case .waiting, .claiming, .dropping, .givingBack: entries[release] = nil
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

// MARK: - Releases that wait for a teller

extension Tray {
  /// Whether this message is the one of a release that waits: another message of it may be in the worker's hands, too.
  package func isWaiting(_ release: ReleaseID, tag: UInt64) -> Bool {
    guard case .waiting = entries[release]?.stage else { return false }
    return entries[release]?.tag == tag
  }

  /// The message is about to go back to its queue. From now on no presence lists the release: else a worker that gets the
  /// message, and claims it, would be told that it is here.
  package mutating func handBack(_ release: ReleaseID, tag: UInt64) {
    if isWaiting(release, tag: tag) { entries[release] = nil }
  }

  /// The coordinator may have given this worker up, and released its jobs again: it was silent for long, or a coordinator
  /// has welcomed it, perhaps of another ledger or epoch. So the releases that wait are claimed before they run.
  package mutating func claimWaiting() {
    for (release, entry) in entries {
      if case .waiting(let token, _) = entry.stage {
        entries[release]?.stage = .waiting(token: token, mustClaim: true)
      }
    }
  }

  /// The worker was silent for long. The answer to an open claim may lie in its socket, and be a grant that was taken back
  /// since. So each claim gets a new number, and only an answer to that counts. It is the last one as soon as a claim takes
  /// less time than passes between two silences.
  ///
  /// - Returns: The open claims, with their new numbers.
  package mutating func renewClaims() -> [(release: ReleaseID, number: Int)] {
    openClaims.map { claim in
      guard case .claiming(_, let token) = entries[claim.release]?.stage else { return claim }
      return (claim.release, beginClaim(of: claim.release, token: token))
    }
  }

  /// Drops those of these releases that wait. One that must be claimed is left to the answer of its claim.
  private mutating func drop(_ releases: [ReleaseID]) -> [ReleaseID] {
    releases.filter { release in
      guard case .waiting(let token, mustClaim: false) = entries[release]?.stage else { return false }
      entries[release]?.stage = .dropping(token: token)
      return true
    }
  }
}

// MARK: - Void releases and adoption

extension Tray {
  /// What follows for the worker when the list of void releases is another one.
  package struct VoidNews: Hashable, Sendable {
    /// The releases that run here and whose jobs have ended: their runs are to be cancelled, and their reports are sent as
    /// usual.
    package var cancelled: [ReleaseID] = []
    /// The releases that waited for a teller, and are dropped.
    package var dropped: [ReleaseID] = []
  }

  /// The list of void releases in a welcome takes the place of the list before.
  package mutating func setVoid(_ releases: [ReleaseID], ended: [ReleaseID]) -> VoidNews {
    void = Set(releases)
    return VoidNews(cancelled: ended.filter(isRunning), dropped: drop(releases))
  }

  /// The list of void releases changes. A claimed release is left to the answer of its claim. A void release whose job has
  /// not ended, and that runs already, runs on.
  package mutating func change(_ change: VoidChange) -> VoidNews {
    void.subtract(change.forgotten)
    void.formUnion(change.void)
    return VoidNews(cancelled: change.ended.filter(isRunning), dropped: drop(change.void))
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
    case .waiting, .claiming, .dropping, .givingBack: return nil
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
