import ArgumentParser
import JobTransport

/// The messages that a command is about: their ids, or all.
struct RejectedChoice: ParsableArguments {
  /// How many messages one command may name.
  static let most = 1_000

  @Argument(
    help: ArgumentHelp(
      "The messages' ids, or at least \(RejectedID.shortest) characters of each.", valueName: "messages"))
  var ids: [RejectedID] = []

  @Flag(help: "All messages of the queue.")
  var all = false

  @OptionGroup var confirmation: ConfirmationOptions

  @Flag(name: .shortAndLong, help: "Print one JSON object a message.")
  var json = false

  @OptionGroup var global: GlobalOptions

  /// How `--all` asks, for the help.
  static let confirmationHelp = """
    --all says how many messages there are, and asks. Any answer but yes changes nothing and exits with 2. With --yes it \
    does not ask; without --yes and without a terminal it exits with 64. With --dry-run it only says the number.
    """

  func validate() throws {
    guard ids.isEmpty == all else { throw ValidationError("Either name messages by their ids, or give --all.") }
    if ids.count > RejectedChoice.most { throw ValidationError("At most \(RejectedChoice.most) ids.") }
    if confirmation.dryRun, !all { throw ValidationError("--dry-run is for --all.") }
  }

  /// Asks about `--all`, takes the messages, and runs the body with the chosen ones. `verb`: "Drop", "Put back".
  ///
  /// - Throws: `Failure` when an id names no message, when nobody can be asked, and when the answer is no.
  func carryOut(
    _ verb: String, _ body: @escaping @Sendable (RejectedQueue, [RejectedMessage]) async throws -> Void
  ) async throws {
    let reading = try RejectedReading(global)
    guard all else {
      return try await reading.messages { queue, messages in
        try await body(queue, try RejectedSelection.messages(ids, of: messages))
      }
    }
    try confirmation.checkAnswerable()
    let count = try await reading.count()
    if count == 0 || confirmation.dryRun {
      return Output.line(count == 0 ? "teller.rejected has no messages" : "there are \(RejectedText.count(count))")
    }
    try await confirmation.ask("\(verb) all \(RejectedText.count(count)) of teller.rejected?")
    // Messages that came after the question are not part of the answer.
    try await reading.messages(atMost: count, body)
  }
}

struct RejectedPutBackCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "put-back",
    abstract: "Publishes rejected messages again, to the queue that each came from.",
    discussion: """
      A message is taken off teller.rejected when the broker has confirmed it in the other queue. When the command is \
      killed in between, the message is in both queues. A submission keeps its id: submitted twice it is one job.

      The coordinator reads the message as one of the user who puts it back. A message that is still wrong comes back to \
      teller.rejected, with another id. Correct the cause first, such as a department that teller.yaml does not name.

      A message stays where it is, with a line that says why:

        body or properties were not kept whole   the sender submits again
        it is from no queue of Teller            another program sent it
        the user may not publish there           see below
        the other queue is full                  try again later

      The role "operator" may put back submissions. A report needs a user who may publish to teller.reports.

      The exit code is 2 when a message stays where it is, 66 when the queue has no message with an id. \
      \(RejectedChoice.confirmationHelp)

      With --json one object a message: "id", "put_back", "obstacle" (why it stays).

      EXAMPLES:
        teller rejected put-back 3f9a01bc42
        teller rejected put-back --all
      """
  )

  @OptionGroup var choice: RejectedChoice

  func run() async throws {
    let json = choice.json
    try await choice.carryOut("Put back") { queue, messages in
      let ends = try await queue.putBack(messages)
      for (message, obstacle) in zip(messages, ends) {
        if json { try Output.json(RejectedDocument.PutBack(message, obstacle)) } else { tell(message, obstacle) }
      }
      if ends.contains(where: { $0 != nil }) { throw Failure(.rejected) }
    }
  }
}

/// Prints what became of a message: a line on standard output when it was put back, else one on standard error.
private func tell(_ message: RejectedMessage, _ obstacle: PutBackObstacle?) {
  if let obstacle { return Output.note("message \(message.id) stays in teller.rejected: \(obstacle)".onOneLine) }
  Output.line("\(message.id) put back into \(message.from ?? "")")
}

struct RejectedDropCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drop",
    abstract: "Takes rejected messages off the queue for good.",
    discussion: """
      The messages are deleted. The exit code is 66 when the queue has no message with an id; then nothing is deleted. \
      \(RejectedChoice.confirmationHelp)

      With --json one object a message: "id", "dropped" (true).

      EXAMPLE: teller rejected drop 3f9a01bc42
      """
  )

  @OptionGroup var choice: RejectedChoice

  func run() async throws {
    let json = choice.json
    try await choice.carryOut("Drop") { queue, messages in
      try await queue.drop(messages)
      for message in messages {
        if json { try Output.json(RejectedDocument.Drop(message)) } else { Output.line("\(message.id) dropped") }
      }
    }
  }
}
