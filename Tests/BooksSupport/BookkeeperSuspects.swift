import Decisions
import JobModel

@testable import Bookkeeping

extension Bookkeeper {
  /// The suspects that are released and unfinished.
  var releasedSuspects: Set<JobID> { released.afterDeath.filter { released[$0]?.progress.isSuspect == true } }

  /// Suspects wait for no company any more.
  func losePatience() { parts.lines.patience = Patience(limit: .zero) }
}
