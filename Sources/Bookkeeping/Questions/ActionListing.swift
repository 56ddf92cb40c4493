package import JobModel
package import Ledger

extension Bookkeeper {
  /// Records that somebody reads a payload, before it is told.
  package func note(_ reading: CommandNote) throws(LedgerError) {
    try record { try reading.record(nil, at: parts.time.now, $0) }
  }

  /// Actions of operators, the newest first.
  package func listActions(_ query: ActionQuery) async throws(LedgerError) -> ActionPage {
    let actions = try await ledger.read { try $0.actions(query) }
    let clock = parts.time.clock
    return ActionPage(
      actions: actions.map(clock.shown), next: actions.count == query.limit ? actions.last?.number : nil)
  }
}
