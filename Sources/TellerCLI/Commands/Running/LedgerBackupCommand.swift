import ArgumentParser
import Foundation
import JobModel
import JobTransport
import Ledger
import UnixSignals

struct LedgerBackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copies the ledger, also while a coordinator uses it.",
    discussion: """
      The copy is the ledger at the moment when the command began: everything that was accepted or recorded by then. The \
      command writes the copy beside FILE, to FILE.partial-…, has it brought to disk, reads it once, and then gives it its \
      name. After an error there is no FILE.partial-…. The copy is one file that only its owner can read: it holds every \
      payload and result.

      While the command copies, the ledger's log (the file -wal beside it) grows. When the log has grown by more than 1 GB, the \
      command gives up.

      To restore: stop the coordinator, remove the ledger's -wal and -shm, put the copy in the ledger's place, and start the \
      coordinator. The coordinator begins a new epoch by itself.

      The exit code is 2 when FILE exists and --force was not given, and 74 when there is no copy.

      With --json one object: {"file", "ledger" (its id), "epoch", "schema", "bytes", "jobs" {held, queued, succeeded, failed, \
      cancelled}, "ms"}.

      EXAMPLE: teller ledger backup /backup/teller-monday.ledger
      """
  )

  @Argument(help: "Where the copy goes.", completion: .file())
  var file: String

  @Flag(help: "Replace FILE if it is there; until the copy is whole, the old one stays.")
  var force = false

  @OptionGroup var options: LedgerOptions

  func run() async throws {
    let backup = LedgerBackup(of: try options.path(), to: file, replaces: force)
    let progress = !options.json && TerminalSize.progressColumns != nil ? BackupProgressLine() : nil
    let start = ContinuousClock.now
    let (result, _) = await StopSignals.interrupting(by: [.sigterm, .sigint, .sighup]) {
      await Result(ofAwaiting: { () async throws(BackupError) in try await backup.run { progress?.show($0) } })
    }
    Output.progress(nil)
    switch result {
    case .success(let summary): try tell(summary, start.duration(to: .now).milliseconds)
    case .failure(let error): throw Failure(error)
    }
  }

  private func tell(_ summary: LedgerSummary, _ milliseconds: Int64) throws {
    if options.json { return try Output.json(LedgerDocument(summary, file: file, ms: milliseconds)) }
    Output.line(
      "\(file): \(LedgerText.line(summary)); copied and checked in \(Duration.milliseconds(milliseconds).inWords)")
  }
}
