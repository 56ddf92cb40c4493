/// Why a job that waits for no time and for no other job is not ready all the same. The ledger keeps it with the job, so
/// that jobs which cannot be released do not stand in the way of those that can.
package enum Withheld: Int, Hashable, Sendable, CaseIterable {
  /// No worker that serves its department has a handler for its kind; or only some have, and its kind has as many places
  /// as it may.
  case handler = 1
  /// It was running when workers died, and waits for its turn to run without others of that sort.
  case suspect = 2
}
