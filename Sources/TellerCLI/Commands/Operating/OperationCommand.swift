import ArgumentParser
import Teller

struct OperationCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "operation",
    abstract: "Follows a command about many jobs until it is done.",
    discussion: """
      Its number is what `cancel`, `replay`, `drop` and `reset` print with --no-wait. Finished ones are known for some \
      time; the exit code is 66 when there is none of that number.

      With --json one object: "id", "action" (cancel, replay, drop or reset), "department" and "kind" where they were \
      given, "changed", "looked", "total" (as counted when it began), "started_ms", "finished_ms" (when it is done).

      EXAMPLE: teller operation 7 --no-wait
      """
  )

  @Argument(help: "The operation's number.")
  var number: Int64

  @Flag(help: "Tell how far it is, and return at once.")
  var noWait = false

  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    try await answer.global.withClient("operation", timeouts: OutcomeWait.timeouts()) { client in
      let operation = try await client.operation(number)
      try await OperationWait(client: client, json: answer.json).follow(operation, noWait: noWait)
    }
  }
}
