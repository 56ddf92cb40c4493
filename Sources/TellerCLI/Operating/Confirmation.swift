import ArgumentParser
import Foundation
import JobTransport
import Teller

/// Asks before something that cannot be taken back.
struct ConfirmationOptions: ParsableArguments {
  @Flag(help: "Do it without asking; needed where no terminal is.")
  var yes = false

  /// Refuses at once when nobody has said yes and nobody can be asked.
  func checkThatSomebodyCanBeAsked() throws {
    if yes || TerminalSize.canAsk { return }
    throw Failure(.usage, "there is no terminal to ask on: add --yes to do it without asking")
  }

  /// Asks, unless it was said already.
  ///
  /// - Parameter question: Made only when it is asked.
  /// - Throws: `Failure` with `rejected` when the answer is not yes; what `question` throws.
  func confirm(_ question: () async throws -> String) async throws {
    if yes { return }
    Output.question("\(try await question()) [y/N]")
    let answer = String(decoding: try await ByteChunks("-").next(), as: UTF8.self)
    Output.answered(answer)
    guard ConfirmationOptions.isYes(answer) else { throw Failure(.rejected, "nothing was changed") }
  }

  /// Only what says so is yes.
  static func isYes(_ answer: String) -> Bool {
    ["y", "yes"].contains(answer.trimmingCharacters(in: .whitespacesAndNewlines).lowercased())
  }

  /// What every command that asks says of its exit codes.
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

  /// `17`, or `1000 or more`: of failed jobs nobody keeps count, so one page of them is counted.
  static func failed(_ page: JobsDocument) -> String {
    "\(page.jobs.count)" + (page.next == nil ? "" : " or more")
  }
}
