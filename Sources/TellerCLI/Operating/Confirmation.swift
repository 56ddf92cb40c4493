import ArgumentParser
import Foundation
import Teller

/// Asks for a confirmation before a command about many jobs: how many jobs that are is counted first.
struct ConfirmationOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Do not ask for a confirmation. Needed without a terminal.")
  var yes = false

  @Flag(help: "Only print the number of jobs. Change none of them.")
  var dryRun = false

  /// Refuses at once where somebody must be asked and cannot be.
  func checkAnswerable() throws {
    if yes || dryRun || TerminalSize.canAsk { return }
    throw Failure(.usage, "there is no terminal to ask on: add --yes to do it without asking")
  }

  /// Counts the jobs of a command, says how many there are, and asks; with `--yes` nothing of it.
  ///
  /// - Returns: Whether the command is to be given. It is not when there is nothing to do, or with `--dry-run`.
  /// - Throws: `Failure` with `rejected` when the answer is not yes; `TellerError`.
  func confirm(
    _ action: JobOperation.Action, _ scope: JobScope, _ client: TellerClient, json: Bool
  ) async throws -> Bool {
    if yes, !dryRun { return true }
    let count = try await client.count(scope, for: action)
    if dryRun || count.isNothing {
      if json { try Output.json(count) } else { Output.line(CountText.line(count)) }
      return false
    }
    try await ask(CountText.question(count))
    return true
  }

  /// Asks, unless `--yes` was given.
  ///
  /// - Throws: `Failure` with `rejected` when the answer is not yes.
  func ask(_ question: String) async throws {
    if !yes { try await ConfirmationOptions.ask(question) }
  }

  /// Asks.
  ///
  /// - Throws: `Failure` with `rejected` when the answer is not yes.
  static func ask(_ question: String) async throws {
    Output.question("\(question) [y/N]")
    let answer = String(decoding: try await ByteChunks("-").next(), as: UTF8.self)
    Output.answered(answer)
    guard ConfirmationOptions.isYes(answer) else { throw Failure(.rejected, "nothing was changed") }
  }

  /// Whether an answer is `y` or `yes`; every other answer is no.
  static func isYes(_ answer: String) -> Bool {
    ["y", "yes"].contains(answer.trimmingCharacters(in: .whitespacesAndNewlines).lowercased())
  }

  /// How a command about many jobs asks, for the help of each such command.
  static let help = """
    The command counts the jobs first, prints their number, and asks for a confirmation. The answer yes confirms; after \
    any other answer the command changes nothing and exits with 2. With --yes the command does not ask. Without --yes and \
    without a terminal the command exits with 64. With --dry-run the command only prints the number.
    """

  /// What `--json` prints of a count, for the same help.
  static let jsonHelp = """
    With --dry-run, or where there is nothing to do, the object is {"action", "department", "kind", "jobs", "held", \
    "queued", "running", "failed", "plans"}.
    """
}
