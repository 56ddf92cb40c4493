import ArgumentParser
import Foundation
import Teller

struct PlanListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Lists the plans that run, the last run of each name, and the plans that were never started.",
    discussion: """
      The plans that were never started come first, by name. Then come the runs, the newest first. The column STEPS has two \
      numbers: the jobs of steps that have ended, and all of them. `teller plan show` lists the steps of one plan.

      On a terminal the command prints a table, and the command for the next page. In a pipe each plan is one line, without \
      a header, with tabs between the columns.

      With --json one object a line: "id" (of the run), "name", "phase", "number", "department", "state", "steps", \
      "steps_done", "accepted_ms", "finished_ms" (milliseconds since 1970). --before with the "number" of the last object \
      shows the next page. A plan that was never started has "name" and "phase" alone: not_started, or stopped.

      EXAMPLE: teller plan list -d init --all
      """
  )

  @Option(name: .shortAndLong, help: "Only plans of this department.")
  var department: Department?

  @Flag(help: "List earlier runs, too.")
  var all = false

  @Option(help: ArgumentHelp("Only runs with a lower number, to go on after an earlier list.", valueName: "number"))
  var before: Int64?

  @OptionGroup var list: ListOptions

  func run() async throws { try await list.show(pages, from: before) }

  var pages: PagedList<PlanLine, Int64> {
    PagedList(
      command: "plan list", none: "no plans",
      given: [("--department", department?.name), ("--all", all ? "" : nil)], table: PlanLine.table,
      option: { ("--before", String($0)) }
    ) { client, limit, before in
      let limit = min(limit, PlanQuery.limits.upperBound)
      let query = PlanQuery(department: department, includesEnded: all, limit: limit, before: before)
      let page = try await client.plans(query)
      return (PlanLine.lines(of: page), page.next)
    }
  }
}

/// One line of the list.
enum PlanLine: Encodable {
  case run(PlanStatus)
  /// It was never started.
  case name(PlanName, PlanPhase)

  static func lines(of page: PlanPage) -> [PlanLine] {
    page.notStarted.map { .name($0, .notStarted) } + page.stopped.map { .name($0, .stopped) }
      + page.plans.map(PlanLine.run)
  }

  private enum CodingKeys: String, CodingKey {
    case name, phase
  }

  func encode(to encoder: any Encoder) throws {
    switch self {
    case .run(let plan): try plan.encode(to: encoder)
    case .name(let name, let phase):
      var members = encoder.container(keyedBy: CodingKeys.self)
      try members.encode(name, forKey: .name)
      try members.encode(phase, forKey: .phase)
    }
  }

  static func table(_ plans: [PlanLine], now: Date) -> Table {
    var table = Table("PLAN", "PHASE", "RUN", "DEPARTMENT", "STEPS", "ACCEPTED")
    for line in plans {
      switch line {
      case .run(let plan):
        table.add(
          plan.name?.name ?? "–", plan.phase.rawValue, plan.id.description, plan.department.name,
          "\(plan.stepsDone)/\(plan.steps)", Moments.relative(plan.accepted, now: now))
      case .name(let name, let phase): table.add(name.name, phase.rawValue, "–", "–", "–", "–")
      }
    }
    return table
  }
}
