package import Foundation
package import JobModel
package import JobTransport
import Ledger

/// A command that is to be recorded with what it does: in the same turn, so that neither is recorded without the other.
package struct CommandNote: Sendable {
  let request: AdminRequest
  let author: CommandAuthor
  /// The command's own id: one that comes again is recorded once.
  let command: UUID?

  package init(_ request: AdminRequest, by author: CommandAuthor, command: UUID?) {
    (self.request, self.author, self.command) = (request, author, command)
  }

  /// `answer`: what the command has done; nil: it is not known yet.
  func record(_ answer: (any Answer)?, at now: Timestamp, _ ledger: LedgerTransaction) throws {
    let actions = request.actions(answer, by: author, at: now)
    if !actions.isEmpty { try ledger.addActions(actions, command: command) }
  }
}
