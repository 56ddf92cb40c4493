import ArgumentParser
import Teller

/// The options of a command that prints one answer of the coordinator.
struct AnswerOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print one JSON object.")
  var json = false

  @OptionGroup var global: GlobalOptions

  /// Asks the coordinator, and prints its answer as JSON, or as lines for people.
  func show<Answer: Encodable>(
    _ command: String, _ ask: (TellerClient) async throws -> Answer, lines: (Answer) -> [String]
  ) async throws {
    let answer = try await global.withClient(command, ask)
    if json { return try Output.json(answer) }
    lines(answer).forEach(Output.line)
  }
}
