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
  /// - Parameters:
  ///   - client: Asks how many jobs wait or run.
  ///   - question: Made of their count.
  /// - Throws: `Failure` with `rejected` when the answer is not yes.
  func confirm(_ client: TellerClient, _ question: (_ count: Int) -> String) async throws {
    if yes { return }
    let departments = try await client.status().departments
    let count = departments.map { $0.held + $0.queued + $0.running }.reduce(0, +)
    Output.question("\(question(count)) [y/N]")
    let answer = String(decoding: try await ByteChunks("-").next(), as: UTF8.self)
    guard ConfirmationOptions.isYes(answer) else { throw Failure(.rejected, "nothing was changed") }
  }

  /// Only what says so is yes.
  static func isYes(_ answer: String) -> Bool {
    ["y", "yes"].contains(answer.trimmingCharacters(in: .whitespacesAndNewlines).lowercased())
  }
}
