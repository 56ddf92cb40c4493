import JobModel

/// The tellers of one department that its handlers have lent while they wait for other jobs: which are away, and whose
/// handler wants its teller back. A pure value.
///
/// A job that waits is waited for itself, perhaps: how many jobs wait for it, one for the other, is its level. Each level
/// has places of its own. So the jobs of the deepest level, for which others wait, always find a teller, and the levels
/// above them get theirs back one after the other. With places in common, jobs that wait could keep all of them from the
/// jobs that they wait for.
struct LentTellers: Hashable, Sendable {
  /// How many handlers of a worker and a department may wait at once, of each level. Others run again later: see
  /// ``WorkerLoop/lendTeller(of:level:)``.
  static let perLevel = 16

  /// The handlers that wait, and their levels.
  private var away: [ReleaseID: Int] = [:]
  /// The handlers whose wait has ended, and that have no teller yet; the first to come is the first.
  private var returning: [ReleaseID] = []

  var isEmpty: Bool { away.isEmpty && returning.isEmpty }
  /// How many tellers are lent, and may serve other jobs.
  var awayCount: Int { away.count }
  /// How many handlers neither wait nor work.
  var returningCount: Int { returning.count }

  func isAway(_ release: ReleaseID) -> Bool { away[release] != nil }
  func isReturning(_ release: ReleaseID) -> Bool { returning.contains(release) }

  /// Lends the teller of a release.
  ///
  /// - Returns: false: too many handlers of the level wait.
  mutating func lend(_ release: ReleaseID, level: Int) -> Bool {
    if isAway(release) { return true }
    guard away.values.count(where: { $0 == level }) < LentTellers.perLevel else { return false }
    returning.removeAll { $0 == release }
    away[release] = level
    return true
  }

  /// Notes that a handler wants its teller back.
  mutating func wantBack(_ release: ReleaseID) {
    if away.removeValue(forKey: release) != nil { returning.append(release) }
  }

  /// Gives the first handler that wants it its teller back, if so many of the tellers are free for that.
  mutating func giveBack(free tellers: Int) -> ReleaseID? {
    tellers > 0 && !returning.isEmpty ? returning.removeFirst() : nil
  }

  /// Forgets a release: its handler has ended, or works on without a teller.
  mutating func forget(_ release: ReleaseID) {
    away[release] = nil
    returning.removeAll { $0 == release }
  }
}
