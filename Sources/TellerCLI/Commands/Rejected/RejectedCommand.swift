import ArgumentParser
import CoordinatorSettings
import JobModel
import JobTransport

struct RejectedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rejected",
    abstract: "Lists the messages that no coordinator could use; shows, puts back or drops them.",
    discussion: """
      The coordinator keeps such messages in the queue teller.rejected: submissions that are wrong and name no address \
      for an answer, and reports that cannot be recorded. These commands ask the broker, not the coordinator. The \
      broker's user must be allowed to read teller.rejected; the role "operator" is.

      What is put back or dropped is recorded afterwards, for `teller actions`. Where that fails, for example since no \
      coordinator runs, a line on standard error says so, and the exit code stays what it is.

      While one of these commands reads the queue, no other one does. A command that finds another reader tries again \
      for \(RejectedReading.patience.written), and then exits with 75. Listing and showing leave every message in its \
      place.

      EXAMPLES:
        teller rejected
        teller rejected show 3f9a01bc42
        teller rejected put-back 3f9a01bc42
        teller rejected put-back --all
        teller rejected drop --all
      """,
    subcommands: [
      RejectedListCommand.self, RejectedShowCommand.self, RejectedPutBackCommand.self, RejectedDropCommand.self,
    ],
    defaultSubcommand: RejectedListCommand.self)
}

struct RejectedListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Lists rejected messages, the oldest first. `teller rejected` does the same.",
    discussion: """
      Each message has an id, a digest of the message. The id stays the same until the message is taken off the queue. \
      On a terminal the table shows the beginning of each id, which is enough for the other commands. USER is the \
      broker's user who sent the message.

      On a terminal a table; in a pipe one message a line, without a header, with tabs between the columns. The list \
      always begins with the oldest message: a larger --limit shows more.

      With --json one object a line: "id", "parked_ms" (when the coordinator parked the message; milliseconds since \
      1970), "from" (the queue), "user" (left out: the message names none), "error" {"error", "message"}, "size" (of \
      the body, in bytes), "message_id", "type", "put_back" (whether --all puts the message back), "obstacle" (why it \
      does not).

      EXAMPLE: teller rejected list --limit 1000
      """
  )

  @Option(name: [.customShort("n"), .long], help: "At most so many messages, \(RejectedReading.limits.written).")
  var limit = PageOptions.usualLimit

  @Flag(name: .shortAndLong, help: "Print one JSON object a line.")
  var json = false

  @OptionGroup var global: GlobalOptions

  func validate() throws {
    guard RejectedReading.limits.contains(limit) else {
      throw ValidationError("--limit is \(RejectedReading.limits.written).")
    }
  }

  func run() async throws {
    let (messages, left) = try await RejectedReading(global).messages(atMost: limit) { queue, messages in
      (messages, try await queue.count())
    }
    if json { return try messages.map { RejectedDocument($0) }.forEach(Output.json) }
    let width = TerminalSize.columns
    if messages.isEmpty, left == 0, width != nil { return Output.line("no rejected messages") }
    RejectedText.table(messages, shortens: width != nil, now: .now()).lines(width: width).forEach(Output.line)
    if left > 0 { Output.note("there are \(left) more: a larger --limit shows them") }
  }
}

struct RejectedShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Shows a rejected message with its properties and its body.",
    discussion: """
      The body is shown as text when it is text, else as Base64. Exits with 66 when the queue has no such message.

      With --json one object: the members of `teller rejected list --json`, and "properties" {"content_type", \
      "correlation_id", "reply_to", "type", "expiration", …, "headers"}, "body" (or "body_base64" when the body is no text).

      EXAMPLE: teller rejected show 3f9a01bc42
      """
  )

  @Argument(
    help: ArgumentHelp(
      "The message's id, or at least \(RejectedID.shortest) characters of its beginning.", valueName: "message"))
  var id: RejectedID

  @Flag(name: .shortAndLong, help: "Print one JSON object.")
  var json = false

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let message = try await RejectedReading(global).messages { _, messages in
      guard let message = try RejectedSelection.messages([id], of: messages).first else { throw Failure(.unknownJob) }
      return message
    }
    if json { return try Output.json(RejectedDocument(whole: message)) }
    RejectedText.lines(message, now: .now()).forEach(Output.line)
  }
}
