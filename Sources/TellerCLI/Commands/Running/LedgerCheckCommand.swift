import ArgumentParser
import Foundation
import JobTransport
import Ledger

struct LedgerCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Tells whether a file is a sound ledger, and what it holds.",
    discussion: """
      The command reads all of the file and changes nothing. The file may be a copy, or a ledger that a coordinator uses. Jobs \
      that retention has removed are not counted. A ledger of an earlier version has a lower schema; a coordinator brings it up \
      to date at its start.

      The exit code is 74 when the file is no ledger, is damaged, or was written by a newer version.

      With --json one object: {"file", "ledger" (its id), "epoch", "schema", "bytes", "jobs" {held, queued, succeeded, failed, \
      cancelled}}.

      EXAMPLE: teller ledger check /backup/teller-monday.ledger
      """
  )

  @Argument(
    help: "The file. (default: the ledger of the coordinator's settings)", completion: .file())
  var file: String?

  @OptionGroup var options: LedgerOptions

  func validate() throws {
    if file != nil, options.ledger != nil { throw ValidationError("Name the file once: leave out --ledger.") }
  }

  func run() async throws {
    let path = try file ?? options.path()
    let (result, _) = await StopSignals.interrupting {
      await Result(ofAwaiting: { () async throws(BackupError) in try await LedgerSummary.check(path) })
    }
    switch result {
    case .success(let summary):
      options.json
        ? try Output.json(LedgerDocument(summary, file: path, ms: nil))
        : Output.line("\(path): a sound ledger, \(LedgerText.line(summary))")
    case .failure(.cancelled): throw Failure(.interrupted, "interrupted")
    case .failure(let error): throw Failure(error)
    }
  }
}
