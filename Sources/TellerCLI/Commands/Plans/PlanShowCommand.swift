import ArgumentParser
import Foundation
import JobModel
import Teller

struct PlanShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Shows a plan with its steps, its gates and its events.",
    discussion: """
      The steps are in the order in which they run. A step that the plan has gone back over has a line for each round. An \
      event that is acted on has a line at its rank.

      A plan is open when every required step has succeeded, and every optional step and every event of the run has ended.

      With --json one object: "name", "phase", "run", "department", "gates" [{"department", "open"}], "steps" [{"name", \
      "rank", "round" (0: an event), "required", "kind", "job", "state", "error"}], "events" [{"name", "kind", "rank", \
      "when_open"}], "events_waiting", "steps_omitted" (jobs that the answer has no room for), "accepted_ms", "finished_ms", "error".

      EXAMPLE: teller plan show opening
      """
  )

  @Argument(help: ArgumentHelp("The plan's name, or the id of a run.", valueName: "plan"))
  var plan: String

  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    try await answer.show(
      "plan",
      { client in
        if let id = JobID(plan) { return try await client.plan(id) }
        guard let name = PlanName(plan) else {
          throw Failure(.usage, "\"\(plan)\" is neither a plan's name nor the id of a run")
        }
        return try await client.plan(name)
      }
    ) { PlanText.lines($0, now: Date(), width: TerminalSize.columns) }
  }
}

/// A plan for people: its fields, and a table of its steps.
enum PlanText {
  static func lines(_ plan: PlanDetails, now: Date, width: Int?) -> [String] {
    fields(plan, now: now).compactMap { name, value in value.map { NamedLine.text(name, $0, nil) } }
      + steps(plan).lines(width: width)
      + (plan.omittedSteps.map { ["and \($0) more: `teller jobs --plan \(plan.run?.description ?? "")`"] } ?? [])
  }

  private static func fields(_ plan: PlanDetails, now: Date) -> [(String, String?)] {
    [
      ("plan", plan.name?.name), ("phase", plan.phase.rawValue), ("run", plan.run?.description),
      ("department", plan.department.name), ("gates", gates(plan)), ("events", events(plan)),
      ("accepted", plan.accepted.map { Moments.text($0, now: now) }),
      ("ended", plan.finished.map { Moments.text($0, now: now) }), ("error", plan.error?.description.onOneLine),
    ]
  }

  private static func gates(_ plan: PlanDetails) -> String? {
    if plan.gates.isEmpty { return nil }
    return plan.gates.map { "\($0.department) \($0.isOpen ? "open" : "shut")" }.joined(separator: ", ")
  }

  private static func events(_ plan: PlanDetails) -> String? {
    if plan.events.isEmpty { return nil }
    let names = plan.events.map { "\($0.name) (rank \($0.rank), when open: \($0.whenOpen.rawValue))" }
    let waiting = plan.waitingEvents > 0 ? "; \(plan.waitingEvents) wait" : ""
    return names.joined(separator: ", ") + waiting
  }

  static func steps(_ plan: PlanDetails) -> Table {
    var table = Table("RANK", "STEP", "STATE", "JOB", "")
    for step in plan.steps {
      let state = plan.run == nil ? "–" : step.state.rawValue
      let remarks = [
        step.isEvent ? "event" : step.isRequired ? nil : "optional", step.round > 1 ? "round \(step.round)" : nil,
        step.error?.description,
      ]
      table.add(
        [
          String(step.rank), step.name, state, step.job?.description ?? "–",
          remarks.compactMap(\.self).joined(separator: ", "),
        ], styles: step.state.style.map { [2: $0] } ?? [:])
    }
    return table
  }
}
