import ArgumentParser
import JobModel
import Teller

struct EventAcceptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept",
    abstract: "Accepts an announced event: it is acted on, once.",
    discussion: """
      Whoever accepts an event first decides. A later acceptance changes nothing, and the command says so.

      With --json one object, as `teller event show --json` prints it, and "changed" (whether this command decided).

      EXAMPLE: teller event accept 0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11
      """
  )

  @Argument(help: "The event's id.")
  var id: JobID

  @OptionGroup var answer: AnswerOptions

  func run() async throws { try await EventChange.show(id, .acceptEvent, answer) { try await $0.acceptEvent(id) } }
}

struct EventDismissCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dismiss",
    abstract: "Dismisses an event that is announced or kept: nothing is done.",
    discussion: """
      An event that was acted on cannot be dismissed, and the exit code is 2; `teller cancel` cancels its job.

      With --json one object, as `teller event show --json` prints it, and "changed" (whether this command decided).

      EXAMPLE: teller event dismiss 0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11
      """
  )

  @Argument(help: "The event's id.")
  var id: JobID

  @OptionGroup var answer: AnswerOptions

  func run() async throws { try await EventChange.show(id, .dismissEvent, answer) { try await $0.dismissEvent(id) } }
}

extension EventChange {
  static func show(
    _ id: JobID, _ word: ActionNote.Word, _ answer: AnswerOptions,
    _ choose: (TellerClient) async throws -> Bool
  ) async throws {
    try await answer.show(
      "event",
      { client in
        let changed = try await Failure.refusing { try await choose(client) }
        await answer.global.record(.choice(word, of: id, isNew: changed))
        return EventChange(event: try await client.event(id), changed: changed)
      }
    ) { (change: EventChange) in
      [
        EventText.line(change.event)
          + (change.changed ? "" : ", as before: somebody has decided before, or nobody had to")
      ]
    } status: { change in
      word == .dismissEvent && change.event.state != .dismissed ? .rejected : .success
    }
  }
}
