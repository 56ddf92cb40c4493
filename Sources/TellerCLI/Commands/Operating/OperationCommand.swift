import ArgumentParser
import Teller

struct OperationCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "operation",
    abstract: "Follows a command about many jobs until it is done.",
    discussion: """
      The commands `cancel`, `replay`, `drop`, `reset`, `keys reset`, `restore accept` and `restore drop` print the number of \
      the operation with --no-wait. The coordinator remembers an operation for some time after its end. The exit code is 66 when the coordinator does not know the number.

      With --json one object: "id", "action" (cancel, replay, drop, reset, reset_keys, accept_restored or \
      drop_restored), "department", "kind" and "key" where they were given, \
      "changed", "looked", "total" (the count at the beginning), "started_ms", "finished_ms" (when it has ended).

      EXAMPLE: teller operation 7 --no-wait
      """
  )

  @Argument(help: "The operation's number.")
  var number: Int64

  @Flag(help: "Print the progress, and return at once.")
  var noWait = false

  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    try await answer.global.withClient("operation", timeouts: OutcomeWait.timeouts()) { client in
      let operation = try await client.operation(number)
      try await OperationWait(client: client, json: answer.json).follow(operation, noWait: noWait)
    }
  }
}
