package import JobModel

/// The coordinator's list of void releases: no worker may start one when its message comes fresh from the queue. For
/// example, the job was cancelled, or has come too late, or is to be moved. The message cannot be taken out of the
/// queue, so the workers know the same list, and drop the message.
///
///     the job has ended ───────▶ ended ──────────────┐
///                                  ▲                 ├─▶ off the list: nobody runs it, nobody can start it
///                    job is changed│                 │
///     the job is to be changed ─▶ change ────────────┘
///
/// A release leaves the list only when no worker runs it and no worker can start it any more: its message is gone, or
/// the message comes back redelivered and is claimed. Until then the release keeps its place in its department's
/// window. A claim of a void release is concluded like a claim of a current release. Nothing here has a clock or knows
/// a queue.
package struct VoidReleases: Hashable, Sendable {
  package enum Purpose: Hashable, Sendable {
    /// The job has ended, or has another release. This is recorded in the same transaction.
    case ended
    /// The release still is its job's current one. The job is changed as soon as no worker can have the release. This
    /// is never recorded: after a restart the release is as good as before.
    case change
  }

  /// What is to be done about a release after something was learnt of it.
  package enum Step: Hashable, Sendable {
    /// The release is not void, or the news changes nothing.
    case ordinary
    /// The release is not void any more: its place is free, and the workers may forget it.
    case forgotten
    /// No worker has the release, and none will start it: change the job now. The message may still be in the queue, so
    /// the release stays void as `ended`, which is recorded with the change.
    case change
    /// No worker has the release, and its message is gone: change the job now. The release is not void any more.
    case changeAndForget
  }

  /// All that is known of one void release.
  struct Entry: Hashable, Sendable {
    var purpose: Purpose
    /// The token with which a run of the release counts. It is the release's number until a claim is granted.
    var token: Int
    /// Whether the message is not in the queue. A message that still exists comes back redelivered, and is claimed.
    var isGone = false
    /// The place in the window, if the purpose is `ended`.
    var place: VoidPlace?
    /// What is to be changed, if the purpose is `change`.
    var change: Change?
  }

  private(set) var entries: [ReleaseID: Entry] = [:]

  package func contains(_ release: ReleaseID) -> Bool { entries[release] != nil }
  package func purpose(of release: ReleaseID) -> Purpose? { entries[release]?.purpose }
  /// The token with which a run of the release counts; nil: the release is not void.
  package func token(of release: ReleaseID) -> Int? { entries[release]?.token }
  package func place(of release: ReleaseID) -> VoidPlace? { entries[release]?.place }
  package func change(of release: ReleaseID) -> Change? { entries[release]?.change }

  /// The releases that keep a place, with it.
  package var places: [(release: ReleaseID, place: VoidPlace)] {
    entries.compactMap { release, entry in entry.place.map { (release, $0) } }
  }

  /// The releases whose jobs are to be changed.
  package var changing: [ReleaseID] { entries.compactMap { $0.value.change == nil ? nil : $0.key } }

  /// The release is void from now on. Tell the workers before any later probe, and before anything relies on it.
  ///
  /// - Parameters:
  ///   - release: The job's current release. When the list is read from the ledger, also an earlier release.
  ///   - purpose: Why no worker may start the release.
  ///   - token: The job's token; of an earlier release the release's own number.
  ///   - isClaimed: Whether the coordinator's own claim of the release is open already. That claim was made because the
  ///     message is gone, so its conclusion takes the release off the list.
  ///   - place: The place in the window, if the purpose is `ended`.
  ///   - change: What is to be changed, if the purpose is `change`.
  package mutating func add(
    _ release: ReleaseID, _ purpose: Purpose, token: Int, isClaimed: Bool = false, place: VoidPlace? = nil,
    change: Change? = nil
  ) {
    entries[release] = Entry(purpose: purpose, token: token, isGone: isClaimed, place: place, change: change)
  }

  /// A job that was to be changed is cancelled instead, or has another release. What is known of the message stays.
  ///
  /// - Returns: Whether the release was void before.
  package mutating func jobEnded(_ release: ReleaseID, place: VoidPlace? = nil) -> Bool {
    guard var entry = entries[release] else { return false }
    (entry.purpose, entry.place, entry.change) = (.ended, place, nil)
    entries[release] = entry
    return true
  }

  /// The job of the release has another turn in its department's order: so has the place that the release keeps.
  package mutating func moved(_ release: ReleaseID, to place: WindowPlace) { entries[release]?.place?.place = place }

  /// The messages of these releases are in their queues, or will never be.
  package mutating func publishingIsOver(_ releases: some Sequence<ReleaseID>) {
    if entries.isEmpty { return }
    for release in releases { entries[release]?.place?.isPublishingOver = true }
  }

  /// A new session begins. No job is changed, and of no message it is known where it is; but no message is on its way
  /// to its queue any more.
  ///
  /// - Returns: The changes that are not made.
  package mutating func beginSession() -> [(release: ReleaseID, change: Change)] {
    let undone = entries.compactMap { release, entry in entry.change.map { (release: release, change: $0) } }
    entries = entries.filter { $0.value.place != nil }
    for release in entries.keys {
      entries[release]?.isGone = false
      entries[release]?.place?.isPublishingOver = true
    }
    return undone
  }

  /// Places that an earlier process gave count as held since the first session of this one.
  package mutating func age(from now: Duration) {
    for release in entries.keys { entries[release]?.place?.heldSince = now }
  }

  /// The message of the release is not in its queue: the queue was seen empty, or a later release of the same queue and
  /// priority was delivered, or the worker that had the message is gone. The coordinator claims the release for itself
  /// then. The conclusion of that claim takes the release off the list.
  package mutating func messageGone(_ release: ReleaseID) {
    entries[release]?.isGone = true
  }

  /// A worker's claim has passed probe and fence: no worker runs the release, and the message is in that worker's
  /// hands, to be dropped or redelivered.
  package mutating func claimConcluded(_ release: ReleaseID) -> Step { remove(release) }

  /// The coordinator's own claim has passed probe and fence: no worker runs the release.
  package mutating func ownClaimConcluded(_ release: ReleaseID) -> Step {
    guard let entry = entries[release], !entry.isGone else { return remove(release) }
    guard entry.purpose == .change else { return .ordinary }
    entries[release]?.purpose = .ended
    return .change
  }

  /// A worker had the message fresh, did not start the release, and acks the message. If a claim was granted to another
  /// worker since, this says nothing: the other worker may run the release.
  package mutating func dropped(_ release: ReleaseID) -> Step {
    guard let entry = entries[release], entry.token == release.number else { return .ordinary }
    return remove(release)
  }

  /// A worker has reported the end of its run. If the token is an older one, the worker was given up before, and the
  /// report says nothing of who runs the release now. Otherwise a message that still exists comes back redelivered.
  package mutating func reported(_ release: ReleaseID, token: Int) -> Step {
    guard let entry = entries[release], entry.token == token else { return .ordinary }
    return forget(release)
  }

  /// A worker runs the release: the job is not changed.
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
