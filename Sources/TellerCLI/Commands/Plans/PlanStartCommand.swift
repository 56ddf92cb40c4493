import ArgumentParser
import JobModel
import JobTransport
import Teller

struct PlanStartCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Starts a plan of the coordinator's teller.yaml.",
    discussion: """
      The command prints the id of the run. A plan that runs or is open is not started again: then the command prints the id \
      of the present run, and says so. After a failure, or after `teller plan stop`, the plan begins anew.

      With --wait the command ends when the plan is open, or has failed or was stopped. The exit code is 0 when it is \
      open, and 1 when it has failed or was stopped.

      A run whose --id came before is that run. If it has failed or was stopped, nothing will run, and without --wait the exit \
      code is 2.

      With --json one object: "plan", "run", "started" (false: the plan ran before, or was open), "content" (then: same or \
      different from what the run was started with), "replaces" (the run before a new one), "state" and "error".

      EXAMPLE: teller plan start opening --payload '{"branch": 7}' --wait
      """
  )

  @Argument(help: "The plan's name.")
  var plan: PlanName

  @Option(help: ArgumentHelp("The payload of each step that has none in the file, as JSON.", valueName: "json"))
  var payload: String?

  @Option(help: "The id of the run, a UUID. The same id is the same run, however often it is sent.")
  var id: JobID?

  @Flag(help: "Wait until the plan is open, or has failed or was stopped.")
  var wait = false

  @Option(help: ArgumentHelp("How long the command waits for a coordinator.", valueName: "duration"))
  var within = DurationArgument(ClientTimeouts.forPeople.coordinator)

  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    if let payload, let problem = EmbeddedJSON.flaw(of: Array(payload.utf8)) {
      throw ValidationError("--payload is \(problem).")
    }
  }

  func run() async throws {
    let payload = payload.map { Array($0.utf8) }
    let timeouts = OutcomeWait.submitting(within: within.duration)
    let outcome = try await answer.global.withClient("plan", timeouts: timeouts) { client in
      let handle = try await client.startPlan(plan, json: payload, id: id ?? JobID())
      try await Failure.refusing { try await handle.accepted() }
      if handle.duplicateOf == nil {
        await answer.global.record(ActionNote(.startPlan, job: handle.id, name: plan.name), id: handle.id.uuid)
      }
      let decision = handle.decision
      var line = StartedPlan(
        plan: plan, run: handle.duplicateOf ?? handle.id, started: decision?.answer != .duplicate, decision)
      guard wait else {
        (line.state, line.error) = (decision?.state, decision?.failure)
        try show(line)
        // The same run came before, and has failed or was stopped.
        if decision?.willRun == false { throw Failure(.rejected) }
        return Outcome?.none
      }
      let outcome = try await handle.outcome()
      (line.state, line.error) = (outcome.state, outcome.failure)
      try show(line)
      return outcome
    }
    if let outcome, outcome.failure != nil { throw Failure(.jobFailed) }
  }

  private func show(_ line: StartedPlan) throws {
    if answer.json { return try Output.json(line) }
    guard wait, let state = line.state else {
      Output.line(line.run.description)
      if !line.started { Output.note(present(line)) }
      return
    }
    let end = state == .succeeded ? "open" : "\(state): \(line.error?.description.onOneLine ?? "")"
    Output.line("\(line.run) \(end)")
  }

  private func present(_ line: StartedPlan) -> String {
    let content = line.content == "different" ? ", with another payload" : ""
    let end =
      line.error.map { "run \(line.run) came before, and has ended (\($0))" } ?? "plan \(plan) runs already, or is open"
    return "\(end)\(content): `teller plan show \(plan)`".onOneLine
  }
}
