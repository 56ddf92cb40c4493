/// What a delivery or an answer means for a worker.
package enum TrayAction: Hashable, Sendable {
  /// Run it; its report carries this token.
  case start(ReleaseID, token: Int)
  /// Ask the coordinator, with this number, and again until it answers.
  case claim(number: Int)
  /// It is void: do not run it, and tell the coordinator so. Its delivery is acked when that is confirmed.
  case drop(ReleaseID)
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
    /// It was void and is not started; that it is dropped is on its way.
    case dropping
  }

  struct Entry: Hashable, Sendable {
    var stage: Stage
    /// Valid on the present connection only.
    var tag: UInt64?
    /// The coordinator has it recorded that this worker runs it without its message.
    var isAdopted = false
    /// It was to end, and does not.
    var isStuck = false
  }

  private(set) var entries: [ReleaseID: Entry] = [:]
  /// What must not be started when it comes fresh from its queue.
  private(set) var void: Set<ReleaseID> = []
  private(set) var lastClaim = 0
  /// The last probe that was read on the present connection; 0: none.
  package private(set) var probe = 0

  package init() {}

  package var isEmpty: Bool { entries.isEmpty }
  /// How many releases are in the worker's hands; each holds a teller.
  package var count: Int { entries.count }

  /// A delivery. `mustClaim`: it is redelivered, or carries `teller-claim`, or its job has one attempt, or another epoch
  /// has released it.
  ///
  /// The tags are of one connection: deliveries that were read on an earlier one must not be handed in after
  /// ``disconnected()``.
  package mutating func delivered(_ release: ReleaseID, token: Int, tag: UInt64, mustClaim: Bool) -> TrayAction {
    // A copy of what is being claimed is not started even if it may run at once by itself: the answer is about the
    // release, and would race with it. One copy is enough for the broker to hand it out again; a second one would keep a
    // teller from other jobs.
    // None at all is needed of what is adopted.
    if let entry = entries[release] {
      guard entry.tag == nil, !entry.isAdopted else { return .ack(tag) }
      entries[release]?.tag = tag
      return .adopted
    }
    // What must be claimed is claimed though it is void: only an answer tells the coordinator that its message is here.
    if !mustClaim, void.contains(release) {
      entries[release] = Entry(stage: .dropping, tag: tag)
      return .drop(release)
    }
    guard mustClaim else {
      entries[release] = Entry(stage: .running(token: token), tag: tag)
      return .start(release, token: token)
    }
    lastClaim += 1
    entries[release] = Entry(stage: .claiming(number: lastClaim), tag: tag)
    return .claim(number: lastClaim)
  }

  /// The answer to a claim. One to a claim that is closed, or of an earlier connection, is ignored.
  package mutating func answered(_ release: ReleaseID, claim: Int, _ verdict: Verdict) -> TrayAction {
    guard let entry = entries[release], entry.stage == .claiming(number: claim) else { return .ignored }
    switch verdict {
    case .run(let token, _):
      entries[release]?.stage = .running(token: token)
      return .start(release, token: token)
    case .elsewhere, .drop:
      entries[release] = nil
      // What is being claimed has its tag: a lost connection ends the claim with it.
      return entry.tag.map { .ack($0) } ?? .ignored
    }
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

  /// It is confirmed that the coordinator will hear that a release was dropped; returns the tag to ack. None if the
  /// connection it came on is lost: then it comes back redelivered, and is claimed.
  package mutating func dropConfirmed(_ release: ReleaseID) -> UInt64? {
    guard let entry = entries[release], entry.stage == .dropping else { return nil }
    entries[release] = nil
    return entry.tag
  }

  /// The coordinator has recorded that this worker runs a release without its message; returns the tag to ack, if it has
  /// one. Every later copy of it is acked at once.
  package mutating func adopted(_ release: ReleaseID) -> UInt64? {
    guard let entry = entries[release], entry.isStarted else { return nil }
    entries[release]?.isAdopted = true
    entries[release]?.tag = nil
    return entry.tag
  }

  /// It was to end, and does not; returns whether it runs.
  @discardableResult
  package mutating func stuck(_ release: ReleaseID) -> Bool {
    guard runs(release) else { return false }
    entries[release]?.isStuck = true
    return true
  }

  /// The connection of the deliveries is lost: the broker hands them out again, so the tags are void, and claims and
  /// drops forgotten. What runs or is being reported stays. On the next connection no probe has been read yet.
  package mutating func disconnected() {
    probe = 0
    for (release, entry) in entries {
      if entry.isStarted { entries[release]?.tag = nil } else { entries[release] = nil }
    }
  }

  /// A probe was read: the next presence, due at once, repeats its number.
  package mutating func probed(_ number: Int) {
    probe = max(probe, number)
  }
}

extension Tray.Entry {
  /// Whether the worker has run it, or does.
  fileprivate var isStarted: Bool {
    switch stage {
    case .running, .reporting: true
    case .claiming, .dropping: false
    }
  }
}

// Void releases. What is being claimed is left alone: its answer comes, and was made with the same knowledge.
extension Tray {
  /// A welcome: this is everything that is void. Returns what of it runs and is to be cancelled.
  package mutating func setVoid(_ releases: [ReleaseID]) -> [ReleaseID] {
    void = Set(releases)
    return releases.filter(runs)
  }

  /// What is void is another than before. Returns what of it runs and is to be cancelled.
  package mutating func change(_ change: VoidChange) -> [ReleaseID] {
    void.subtract(change.forgotten)
    void.formUnion(change.void)
    return change.void.filter(runs)
  }

  private func runs(_ release: ReleaseID) -> Bool {
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

  /// What was void and is not yet known to be told as dropped. Not listed: it does not run, and never has.
  package var dropping: [ReleaseID] {
    entries.compactMap { release, entry in entry.stage == .dropping ? release : nil }
  }

  package func isDropping(_ release: ReleaseID) -> Bool { entries[release]?.stage == .dropping }

  /// Whether it runs without its message.
  package func isAdopted(_ release: ReleaseID) -> Bool { entries[release]?.isAdopted == true }

  /// The claims without an answer, to be asked again; by number.
  package var openClaims: [(release: ReleaseID, number: Int)] {
    entries
      .compactMap { release, entry -> (release: ReleaseID, number: Int)? in
        if case .claiming(let number) = entry.stage { (release, number) } else { nil }
      }
      .sorted { $0.number < $1.number }
  }
}
