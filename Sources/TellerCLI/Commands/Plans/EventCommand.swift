import ArgumentParser
import JobModel
import JobTransport
import Teller

struct EventCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "event",
    abstract: "Sends an event to the plan that receives it; lists, accepts and dismisses events.",
    discussion: """
      An event is something that comes from outside at any time, such as a push. Its plan says what becomes of it:

        the plan                      the event
        does not run                  is kept, as a step of the next run
        runs                          is a step, at its rank
        is open                       is acted on, or announced
        is open, and is paused        is acted on when that has ended

      An event is acted on once, however often it is sent with the same id. The job that acts on it has the same id.

      An event that has the name of a subcommand, such as `list`, is sent with `teller event send NAME`.

      EXAMPLES:
        teller event push --payload '{"page": "offers"}'
        teller event list --state announced
        teller event accept 0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11
      """,
    subcommands: [
      EventSendCommand.self, EventAcceptCommand.self, EventDismissCommand.self, EventListCommand.self,
      EventShowCommand.self,
    ],
    defaultSubcommand: EventSendCommand.self)
}

struct EventSendCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "send",
    abstract: "Sends an event. `teller event NAME` does the same, unless NAME is a subcommand.",
    discussion: """
      The command prints the event's id, and what has become of the event: kept, acted or announced. With --wait it ends when \
      the event's job has ended: the exit code is 1 when that failed. Without --wait it is 2 for an event that came before, and \
      was dismissed or whose job has failed. An id that was used for another event is refused (id_conflict).

      An event whose id came before is a duplicate: the earlier event counts, and is not acted on again. A line on standard \
      error says so, with the state of the earlier event's job.

      With --json one object, as `teller event show --json` prints it; with --wait as `teller show --json` prints the job. \
      Beside its members: "event" (accepted, duplicate), "duplicate_of" (the earlier event, which has the same id), "content" \
      (of a duplicate: same), "error" (why the earlier event was dismissed, or its job failed).

      EXAMPLE: teller event push --payload '{"page": "offers"}' --id 0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11
      """
  )

  @Argument(help: "The event's name.")
  var event: EventName

  @Option(help: ArgumentHelp("The input of the event's handler, as JSON.", valueName: "json"))
  var payload: String?

  @Option(help: "The plan; needed only if several plans receive events of that name.")
  var plan: PlanName?

  @Option(help: "The event's id, a UUID. The same id is the same event, however often it is sent.")
  var id: JobID?

  @Flag(help: "Wait until the event's job has ended.")
  var wait = false

  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    if let payload, let problem = EmbeddedJSON.flaw(of: Array(payload.utf8)) {
      throw ValidationError("--payload is \(problem).")
    }
  }

  func run() async throws {
    let payload = payload.map { Array($0.utf8) }
    let state = try await answer.global.withClient("event", timeouts: OutcomeWait.timeouts()) { client in
      let handle = try await client.send(event, json: payload, plan: plan, id: id ?? JobID())
      try await Failure.refusing { try await handle.accepted() }
      await answer.global.record(ActionNote(.sendEvent, job: handle.id, name: event.name), id: handle.id.uuid)
      let event = try await client.event(handle.id)
      let decision = handle.decision ?? SubmissionDecision(.accepted)
      guard wait else {
        try show(event, decision, EventText.line(event))
        note(decision)
        // It came before, and was dismissed, or its job has failed.
        if !decision.willRun { throw Failure(.rejected) }
        return JobState?.none
      }
      note(decision)
      if event.state != .acted { Output.note(EventText.line(event)) }
      _ = try await handle.outcome()
      let record = try await client.job(handle.id)
      try show(record, decision, EventText.end(record))
      return record.state
    }
    if let state, state != .succeeded { throw Failure(.jobFailed) }
  }

  private func show(_ sent: some Encodable, _ decision: SubmissionDecision, _ line: String) throws {
    if answer.json { try Output.json(SentEvent(sent, decision)) } else { Output.line(line) }
  }

  private func note(_ decision: SubmissionDecision) {
    if !answer.json, let note = EventText.note(decision, waits: wait) { Output.note(note) }
  }
}

/// An event for people.
enum EventText {
  static func line(_ event: EventStatus) -> String {
    let meaning: String
    switch event.state {
    case .kept: meaning = ": plan \(event.plan) does not run, and has the event in its next run"
    case .announced: meaning = ": `teller event accept \(event.id)` acts on it"
    default: meaning = ""
    }
    return "\(event.id) \(event.state)\(meaning)"
  }

  /// The note for an event that was sent before, in the words of `submit`; nil: it is new. With `waits` it does not add
  /// that nothing will run: the outcome is printed.
  static func note(_ decision: SubmissionDecision, waits: Bool) -> String? {
    guard decision.answer == .duplicate, let event = decision.other else { return nil }
    let end = decision.willRun || waits ? "" : ": nothing will run"
    return "event \(event) is \(decision.text(of: "event"))\(end)".onOneLine
  }

  static func end(_ job: JobRecord) -> String {
    job.outcome.map { OutcomeText.line(job.id, $0) } ?? "\(job.id) \(job.state)"
  }
}
