import ArgumentParser
import JobTransport

struct RejectedDropCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drop",
    abstract: "Takes rejected messages off the queue for good.",
    discussion: """
      The messages are deleted. The exit code is 66 when the queue has no message with an id; then nothing is deleted. \
      \(RejectedChoice.confirmationHelp)

      With --json one object a message: "id", "dropped" (true). \(RejectedChoice.countHelp)

      EXAMPLE: teller rejected drop 3f9a01bc42
      """
  )

  @OptionGroup var choice: RejectedChoice

  func run() async throws {
    let json = choice.json
    try await choice.carryOut(.drop) { queue, messages, handled in
      try await queue.drop(messages)
      handled.add(messages)
      for message in messages {
        if json { try Output.json(RejectedDocument.Drop(message)) } else { Output.line("\(message.id) dropped") }
      }
    }
  }
}
