package import JobModel

/// The epoch of the ledger: a ledger that was rolled back begins a new one. For a lease after that the coordinator is
/// quiet: nothing is released, and no claim is answered, until all workers have been heard with what they run.
package final class LedgerEpoch {
  package let ledger: LedgerID
  package private(set) var number: Int
  /// Nil: not quiet.
  package private(set) var quietUntil: Timestamp?
  /// A worker has shown a number of this epoch that this ledger never gave: the next session begins a later one. Nil:
  /// none has.
  package private(set) var shown: Int?

  package init(_ number: Int, of ledger: LedgerID) { (self.number, self.ledger) = (number, ledger) }

  package var isQuiet: Bool { quietUntil != nil }
  /// No number up to this is given to a release or a grant.
  package var lastTaken: Int { JobProgress.lastNumber(before: number) }

  package func begin(_ number: Int) { self.number = number }
  package func beQuiet(until end: Timestamp?) { quietUntil = end }
  package func noteShown(_ epoch: Int) { shown = max(epoch, shown ?? epoch) }
  package func forgetShown() { shown = nil }

  /// Until when the coordinator is quiet after an epoch began: no longer than a lease.
  package static func quietEnd(_ began: Timestamp?, lease: Duration, at now: Timestamp) -> Timestamp? {
    guard let began, began + lease > now else { return nil }
    return min(began, now) + lease
  }

  /// Whether a release or a token has a number that this ledger never gave. Numbers of an earlier epoch say nothing:
  /// that it is over is known.
  package func isAhead(_ release: ReleaseID, token: Int, of progress: JobProgress) -> Bool {
    release.number > max(progress.release, lastTaken) || token > max(progress.token, lastTaken)
  }
}
