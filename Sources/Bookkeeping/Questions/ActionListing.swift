package import Foundation
package import JobModel
import JobTransport
package import Ledger

extension Bookkeeper {
  /// Records that somebody reads a payload, before it is told.
  package func note(_ reading: CommandNote) throws(LedgerError) {
    try record { try reading.record(nil, at: parts.time.now, $0) }
  }

  /// Records an action that is no command, in a turn of its own.
  ///
  /// - Returns: The action as it is recorded; the first one, if the command comes again.
  package func noteAction(
    _ note: ActionNote, by author: CommandAuthor = CommandAuthor(), command: UUID? = nil
  ) throws(LedgerError) -> OperatorAction {
    let action = note.action(by: author, at: parts.time.now)
    return parts.time.clock.shown(try record { try $0.addAction(action, command: command) })
  }

  /// Actions of operators, the newest first.
  package func listActions(_ query: ActionQuery) async throws(LedgerError) -> ActionPage {
    let actions = try await ledger.read { try $0.actions(query) }
    let clock = parts.time.clock
    return ActionPage(
      actions: actions.map(clock.shown), next: actions.count == query.limit ? actions.last?.number : nil)
  }
}
