import ArgumentParser
import Teller

/// The options of a command that prints one answer of the coordinator.
struct AnswerOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print one JSON object.")
  var json = false

  @OptionGroup var global: GlobalOptions

  /// Asks the coordinator, and prints its answer as JSON, or as lines for people. `status`: the exit code that follows.
  ///
  /// - Throws: `Failure` with the exit code, unless that is success.
  func show<Answer: Encodable>(
    _ command: String, _ ask: (TellerClient) async throws -> Answer, lines: (Answer) -> [String],
    status: (Answer) -> ExitStatus = { _ in .success }
  ) async throws {
    let answer = try await global.withClient(command, ask)
    if json { try Output.json(answer) } else { lines(answer).forEach(Output.line) }
    let status = status(answer)
    if status != .success { throw Failure(status) }
  }
}
