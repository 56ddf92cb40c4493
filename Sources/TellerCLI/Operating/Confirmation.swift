import ArgumentParser
import Foundation
import Teller

/// Asks for a confirmation before a command that cannot be undone.
struct ConfirmationOptions: ParsableArguments {
  @Flag(help: "Do it without asking; needed where no terminal is.")
  var yes = false

  /// Refuses at once without `--yes` and without a terminal.
  func checkAnswerable() throws {
    if yes || TerminalSize.canAsk { return }
    throw Failure(.usage, "there is no terminal to ask on: add --yes to do it without asking")
  }

  /// Asks, unless `--yes` was given.
  ///
  /// - Throws: `Failure` with `rejected` when the answer is not yes; the error of `question`.
  func confirm(_ question: () async throws -> String) async throws {
    if yes { return }
    Output.question("\(try await question()) [y/N]")
    let answer = String(decoding: try await ByteChunks("-").next(), as: UTF8.self)
    Output.answered(answer)
    guard ConfirmationOptions.isYes(answer) else { throw Failure(.rejected, "nothing was changed") }
  }

  /// Whether an answer is `y` or `yes`; every other answer is no.
  static func isYes(_ answer: String) -> Bool {
    ["y", "yes"].contains(answer.trimmingCharacters(in: .whitespacesAndNewlines).lowercased())
  }

  /// The exit codes of a confirmation, for the help of every command that asks.
  static let exitCodes =
    "Any answer but yes changes nothing and exits with 2; without --yes and without a terminal it is 64."
}

/// How many jobs a command is about, before it is confirmed.
enum ConfirmationText {
  /// `1000 held, 20 queued, 3 running`.
  static func open(_ departments: [DepartmentStatus]) -> String {
    let counts = [("held", departments.map(\.held)), ("queued", departments.map(\.queued))]
    return (counts + [("running", departments.map(\.running))])
      .map { "\($1.reduce(0, +)) \($0)" }.joined(separator: ", ")
  }

  /// `17`, or `1000 or more`: the coordinator does not count these jobs, so one page of them is counted.
  static func failed(_ page: JobPage) -> String {
    "\(page.jobs.count)" + (page.next == nil ? "" : " or more")
  }
}
