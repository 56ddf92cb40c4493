import ArgumentParser
import JobModel
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
    does not ask; without --yes and without a terminal it exits with 64. Messages that come after the question stay. \
    With --dry-run it only says the number.
    """

  /// What `--json` prints of a number, for the help.
  static let countHelp = """
    With --dry-run, or where the queue is empty, one object: "messages" (how many there are).
    """

  func validate() throws {
    guard ids.isEmpty == all else { throw ValidationError("Either name messages by their ids, or give --all.") }
    if ids.count > RejectedChoice.most { throw ValidationError("At most \(RejectedChoice.most) ids.") }
    if confirmation.dryRun, !all { throw ValidationError("--dry-run is for --all.") }
  }

  /// What is done with the chosen messages. It says which of them it has handled.
  typealias Work = @Sendable (RejectedQueue, [RejectedMessage], HandledMessages) async throws -> Void

  /// Asks about `--all`, takes the messages, and runs the work with the chosen ones. What is handled is recorded: when others
  /// may read the queue again, and also when the work came to no end.
  ///
  /// - Parameters:
  ///   - action: what is done, for the question and the record.
  ///   - asMine: for the record.
  ///   - isLeft: whether a message stays where it is with `--all`.
  ///   - work: gets the queue and the chosen messages.
  /// - Throws: `Failure` when an id names no message, when nobody can be asked, and when the answer is no.
  func carryOut(
    _ action: RejectedCount.Action, asMine: Bool = false,
    isLeft: @escaping @Sendable (RejectedMessage) -> Bool = { _ in false }, _ work: @escaping Work
  ) async throws {
    let handled = HandledMessages()
    let result: Result<Void, any Error>
    do {
      result = .success(try await carryOut(action, isLeft) { try await work($0, $1, handled) })
    } catch {
      result = .failure(error)
    }
    await global.record(handled.note(action.word, asMine: asMine))
    try result.get()
  }

  private func carryOut(
    _ action: RejectedCount.Action, _ isLeft: @escaping @Sendable (RejectedMessage) -> Bool,
    _ body: @escaping @Sendable (RejectedQueue, [RejectedMessage]) async throws -> Void
  ) async throws {
    let reading = try RejectedReading(global)
    guard all else {
      return try await reading.messages { queue, messages in
        try await body(queue, try RejectedSelection.messages(ids, of: messages))
      }
    }
    try confirmation.checkAnswerable()
    if confirmation.yes, !confirmation.dryRun {
      return try await reading.messages { queue, messages in
        if messages.isEmpty { try tell(RejectedCount(messages: 0)) } else { try await body(queue, messages) }
      }
    }
    guard let agreed = try await agreed(action, reading, isLeft) else { return }
    try await reading.messages { queue, messages in
      try await body(queue, messages.filter { agreed.contains($0.id) })
    }
  }

  /// Counts the messages, and asks. The queue is free for others meanwhile.
  ///
  /// - Returns: the ids of the messages that the answer is about; nil when nothing is to be done.
  private func agreed(
    _ action: RejectedCount.Action, _ reading: RejectedReading, _ isLeft: @Sendable (RejectedMessage) -> Bool
  ) async throws -> Set<String>? {
    let (ids, count) = try await reading.messages { _, messages in
      (Set(messages.map(\.id)), RejectedCount(messages: messages.count, left: messages.count(where: isLeft)))
    }
    if count.messages == 0 || confirmation.dryRun {
      try tell(count)
      return nil
    }
    try await confirmation.ask(count.question(action))
    return ids
  }

  private func tell(_ count: RejectedCount) throws {
    if json { try Output.json(count) } else { Output.line(count.line) }
  }
}

/// How many messages `--all` is about.
struct RejectedCount: Encodable, Equatable {
  enum Action: String {
    case drop = "Drop"
    case putBack = "Put back"

    /// How it is recorded.
    var word: ActionNote.Word { self == .drop ? .dropRejected : .putBack }
  }

  let messages: Int
  /// How many of these stay where they are; nil: none.
  let left: Int?

  init(messages: Int, left: Int = 0) { (self.messages, self.left) = (messages, left == 0 ? nil : left) }

  /// The number alone.
  var line: String {
    if messages == 0 { return "teller.rejected has no messages" }
    return "there are \(RejectedText.count(messages))" + (left.map { "; \($0) of them would stay" } ?? "")
  }

  func question(_ action: Action) -> String {
    guard let left else { return "\(action.rawValue) all \(RejectedText.count(messages)) of teller.rejected?" }
    return
      "\(action.rawValue) \(messages - left) of the \(RejectedText.count(messages)) of teller.rejected? The rest stays."
  }
}
