/// The coordinator's list of releases that must not be started when they come fresh from their queue: what was cancelled,
/// has come too late, or is to be released in another way. Their messages cannot be taken out of a queue, so the workers
/// know the same list, and drop them.
///
/// A release leaves the list only when nobody can start it any more: its message is gone, or will come back redelivered
/// and be claimed. Until then it keeps its place in its department's window. Nothing here has a clock or knows a queue.
package struct VoidReleases: Hashable, Sendable {
  package enum Purpose: Hashable, Sendable {
    /// Its job has ended, or has another release.
    case ended
    /// It still is its job's current release, and the job is to be changed once no worker can have it.
    case change
  }

  /// What is to be done about a release after something was learnt of it.
  package enum Step: Hashable, Sendable {
    /// It is not void.
    case ordinary
    /// It is not void any more: its place is free, and the workers may forget it.
    case forgotten
    /// No worker has it, and none will start it: change its job now. The message may still be in the queue, so it stays
    /// void.
    case change
    /// No worker has it, and its message is gone: change its job now. It is not void any more.
    case changeAndForget
  }

  package private(set) var entries: [ReleaseID: Purpose] = [:]

  package init() {}

  package func contains(_ release: ReleaseID) -> Bool { entries[release] != nil }
  package var count: Int { entries.count }

  /// It is void from now on; to be told the workers before any probe that is sent later.
  package mutating func add(_ release: ReleaseID, _ purpose: Purpose) {
    entries[release] = purpose
  }

  /// Its job has ended otherwise meanwhile, e.g. was cancelled; returns whether it was void.
  package mutating func jobEnded(_ release: ReleaseID) -> Bool {
    guard entries[release] != nil else { return false }
    entries[release] = .ended
    return true
  }

  /// A worker's claim of it has passed probe and fence: nobody runs it, and its message is in that worker's hands, to be
  /// dropped or redelivered.
  package mutating func claimConcluded(_ release: ReleaseID) -> Step { remove(release) }

  /// The coordinator's own claim of it has passed probe and fence. One that is `ended` is claimed only after its queue
  /// was seen empty or a worker that ran it is gone: a message of it that still exists comes back redelivered.
  package mutating func ownClaimConcluded(_ release: ReleaseID) -> Step {
    guard entries[release] == .change else { return remove(release) }
    entries[release] = .ended
    return .change
  }

  /// A worker had its message fresh, did not start it, and acks it.
  package mutating func dropped(_ release: ReleaseID) -> Step { remove(release) }

  /// A worker that ran it has reported its end: a message of it that still exists comes back redelivered.
  package mutating func reported(_ release: ReleaseID) -> Step {
    entries[release] == nil ? .ordinary : forget(release)
  }

  /// A worker runs it: what was to be changed is not changed.
  package mutating func kept(_ release: ReleaseID) -> Step {
    entries[release] == .change ? forget(release) : .ordinary
  }

  private mutating func remove(_ release: ReleaseID) -> Step {
    switch entries.removeValue(forKey: release) {
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
