/// What becomes of jobs and firings whose time came between the backup of a ledger and its restore: they may have run.
package enum AfterRestore: String, Hashable, Sendable, CaseIterable {
  /// They are held until an operator accepts or drops them. What is taken when nobody says.
  case hold
  /// They run.
  case run
}
