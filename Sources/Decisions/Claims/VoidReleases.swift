package import JobModel

/// The coordinator's list of releases that must not be started when they come fresh from their queue: what was cancelled,
/// has come too late, or is to be released in another way. Their messages cannot be taken out of a queue, so the workers
/// know the same list, and drop them.
///
/// A release leaves the list only when nobody runs it, and nobody can start it any more: its message is gone, or comes
/// back redelivered and is claimed. Until then it keeps its place in its department's window. A claim of a void release
/// is handled as one of a current release, to its conclusion. Nothing here has a clock or knows a queue.
package struct VoidReleases: Hashable, Sendable {
  package enum Purpose: Hashable, Sendable {
    /// Its job has ended, or has another release. To be recorded in the same transaction.
    case ended
    /// It still is its job's current release, and the job is to be changed once no worker can have it. Never recorded: a
    /// restarted coordinator knows nothing of it, and the release is as good as before.
    case change
  }

  /// What is to be done about a release after something was learnt of it.
  package enum Step: Hashable, Sendable {
    /// It is not void, or nothing about it has changed.
    case ordinary
    /// It is not void any more: its place is free, and the workers may forget it.
    case forgotten
    /// No worker has it, and none will start it: change its job now. The message may still be in the queue, so it stays
    /// void as `ended`; to be recorded with the change.
    case change
    /// No worker has it, and its message is gone: change its job now. It is not void any more.
    case changeAndForget
  }

  /// All that is known of one void release.
  struct Entry: Hashable, Sendable {
    var purpose: Purpose
    /// Above the release's own number: a claim of it was granted, and only that run counts.
    var token: Int
    /// A message of it that still exists comes back redelivered, and is claimed.
    var isGone = false
    /// Of one that is void as `ended`: its place.
    var place: VoidPlace?
    /// Of one that is void for a change: that change.
    var change: Change?
  }

  private(set) var entries: [ReleaseID: Entry] = [:]

  package init() {}

  package func contains(_ release: ReleaseID) -> Bool { entries[release] != nil }
  package func purpose(of release: ReleaseID) -> Purpose? { entries[release]?.purpose }
  /// What a run of it must carry to count; nil: it is not void.
  package func token(of release: ReleaseID) -> Int? { entries[release]?.token }
  package func place(of release: ReleaseID) -> VoidPlace? { entries[release]?.place }
  package func change(of release: ReleaseID) -> Change? { entries[release]?.change }

  /// The releases that keep a place, with it.
  package var places: [(release: ReleaseID, place: VoidPlace)] {
    entries.compactMap { release, entry in entry.place.map { (release, $0) } }
  }

  /// The releases whose jobs are to be changed.
  package var changing: [ReleaseID] { entries.compactMap { $0.value.change == nil ? nil : $0.key } }

  /// It is void from now on. To be told the workers before any probe that is sent later, and before anything is done that
  /// relies on it.
  ///
  /// - Parameters:
  ///   - release: The job's current one; from the ledger, also an earlier one.
  ///   - purpose: Why it must not be started.
  ///   - token: The job's current one; of an earlier release its own number.
  ///   - isClaimed: Whether the coordinator's own claim of it is open already. It was made because the message is gone, so
  ///     it takes the release from the list.
  ///   - place: What it keeps, if it is void as `ended`.
  ///   - change: What is to be changed, if that is why it is void.
  package mutating func add(
    _ release: ReleaseID, _ purpose: Purpose, token: Int, isClaimed: Bool = false, place: VoidPlace? = nil,
    change: Change? = nil
  ) {
    entries[release] = Entry(purpose: purpose, token: token, isGone: isClaimed, place: place, change: change)
  }

  /// The job of a release that was to be changed is cancelled instead, or has another release; returns whether it was
  /// void. What was learnt of its message stays.
  package mutating func jobEnded(_ release: ReleaseID, place: VoidPlace? = nil) -> Bool {
    guard var entry = entries[release] else { return false }
    (entry.purpose, entry.place, entry.change) = (.ended, place, nil)
    entries[release] = entry
    return true
  }

  /// The messages of these releases are in their queues, or will never be.
  package mutating func settle(_ releases: some Sequence<ReleaseID>) {
    if entries.isEmpty { return }
    for release in releases { entries[release]?.place?.isSettled = true }
  }

  /// A new session: what was to be changed is as good as before, and nothing is known of the messages but that nothing is
  /// on its way any more.
  ///
  /// - Returns: What is not changed.
  package mutating func beginSession() -> [(release: ReleaseID, change: Change)] {
    let undone = entries.compactMap { release, entry in entry.change.map { (release: release, change: $0) } }
    entries = entries.filter { $0.value.place != nil }
    for release in entries.keys {
      entries[release]?.isGone = false
      entries[release]?.place?.isSettled = true
    }
    return undone
  }

  /// The releases of before this process count from its first session on.
  package mutating func age(from now: Duration) {
    for release in entries.keys { entries[release]?.place?.heldSince = now }
  }

  /// Its message is not in its queue: the queue was seen empty, or a later release of the same queue and priority was
  /// delivered, or a worker that had it is gone. The coordinator claims it for itself then, once its publishing is
  /// confirmed; only such a claim takes it from the list.
  package mutating func messageGone(_ release: ReleaseID) {
    entries[release]?.isGone = true
  }

  /// A worker's claim of it has passed probe and fence: nobody runs it, and its message is in that worker's hands, to be
  /// dropped or redelivered.
  package mutating func claimConcluded(_ release: ReleaseID) -> Step { remove(release) }

  /// The coordinator's own claim of it has passed probe and fence.
  package mutating func ownClaimConcluded(_ release: ReleaseID) -> Step {
    guard let entry = entries[release], !entry.isGone else { return remove(release) }
    guard entry.purpose == .change else { return .ordinary }
    entries[release]?.purpose = .ended
    return .change
  }

  /// A worker had its message fresh, did not start it, and acks it. Of a release that was granted to another worker since,
  /// this says nothing: that one may run it.
  package mutating func dropped(_ release: ReleaseID) -> Step {
    guard let entry = entries[release], entry.token == release.number else { return .ordinary }
    return remove(release)
  }

  /// A worker has reported its end. With an older token it was given up before, and says nothing of who runs it now.
  /// Otherwise a message of it that still exists comes back redelivered.
  package mutating func reported(_ release: ReleaseID, token: Int) -> Step {
    guard let entry = entries[release], entry.token == token else { return .ordinary }
    return forget(release)
  }

  /// A worker runs it: what was to be changed is not changed.
  package mutating func kept(_ release: ReleaseID) -> Step {
    entries[release]?.purpose == .change ? forget(release) : .ordinary
  }

  private mutating func remove(_ release: ReleaseID) -> Step {
    switch entries.removeValue(forKey: release)?.purpose {
    case nil: .ordinary
    case .ended: .forgotten
    case .change: .changeAndForget
    }
  }

  private mutating func forget(_ release: ReleaseID) -> Step {
    entries[release] = nil
    return .forgotten
  }
}
