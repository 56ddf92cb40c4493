import ArgumentParser
import JobModel
import JobTransport

struct RejectedPutBackCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "put-back",
    abstract: "Publishes rejected messages again, to the queue that each came from.",
    discussion: """
      A message is taken off teller.rejected when the broker has confirmed it in the other queue. When the command is \
      killed in between, the message is in both queues. A submission keeps its id: submitted twice it is one job.

      For the coordinator, the message then comes from you: its job is your job, and runs with your rights. `teller \
      rejected` shows which user sent the message.

      A message that is still wrong comes back to teller.rejected, with another id. Correct the cause first, such as a \
      department that teller.yaml does not name.

      A message stays where it is, with a line that says why:

        its user was not allowed to send it      see below
        body or properties were not kept whole   the sender submits again
        it is from no queue of Teller            another program sent it
        you may not publish there                see below
        the other queue is full                  try again later

      The coordinator refuses a message with the error not_allowed when its user may not send it. --all leaves such \
      messages, and says how many. To make such a message yours, look at it with `teller rejected show`, and put it back \
      by its id with --as-mine.

      The role "operator" may put back submissions. A report needs a user who may publish to teller.reports.

      The exit code is 2 when a message stays where it is, 66 when the queue has no message with an id. When the broker \
      is lost on the way, the exit code is 69, and the error says how many messages were put back and how many are \
      left. \(RejectedChoice.confirmationHelp)

      With --json one object a message: "id", "put_back", "obstacle" (why it stays). \(RejectedChoice.countHelp) "left" \
      says how many of them --all would not put back.

      EXAMPLES:
        teller rejected put-back 3f9a01bc42
        teller rejected put-back --all
        teller rejected put-back 3f9a01bc42 --as-mine
      """
  )

  @OptionGroup var choice: RejectedChoice

  @Flag(help: "Put back messages that their users were not allowed to send: the jobs become yours. Not with --all.")
  var asMine = false

  func validate() throws {
    if asMine, choice.all {
      throw ValidationError("--as-mine is for messages that you name by their ids, not for --all.")
    }
  }

  func run() async throws {
    let (printer, asMine) = (PutBackPrinter(json: choice.json, all: choice.all), asMine)
    try await choice.carryOut(.putBack, asMine: asMine, isLeft: { $0.obstacle != nil }) { queue, messages, handled in
      let ends = try await queue.putBack(messages, asMine: asMine) { ends in
        handled.add(ends)
        ends.forEach(printer.show)
      }
      if let note = printer.note(ends) { Output.note(note) }
      if ends.contains(where: { $0.obstacle != nil }) { throw Failure(.rejected) }
    }
  }
}

/// Prints what became of the messages, as soon as that is known.
struct PutBackPrinter {
  let json: Bool
  let all: Bool

  /// A line on standard output for a message that was put back, else a line on standard error. With `--all`, the messages
  /// that their users were not allowed to send are only counted, in the end.
  func show(_ end: PutBackEnd) {
    // Texts and a boolean: they can always be written as JSON.
    if json { return (try? Output.json(RejectedDocument.PutBack(end.message, end.obstacle))) ?? () }
    switch end.obstacle {
    case nil: Output.line("\(end.message.id) put back into \(end.message.from ?? "")")
    case .notAllowed where all: return
    case let obstacle?: Output.note("message \(end.message.id) stays in teller.rejected: \(obstacle)".onOneLine)
    }
  }

  /// How many messages `--all` has left, and why.
  func note(_ ends: [PutBackEnd]) -> String? {
    let count = ends.count { if case .notAllowed = $0.obstacle { true } else { false } }
    guard all, count > 0 else { return nil }
    let stay = count == 1 ? "stays" : "stay"
    return
      "\(RejectedText.count(count)) of users who were not allowed to send them \(stay) in teller.rejected: putting "
      + "them back would make the jobs your own; for that, name each by its id and add --as-mine"
  }
}
