import ArgumentParser
import Foundation
import Teller

struct PlansCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plans",
    abstract: "Lists open plans, the newest first.",
    discussion: """
      The state of an open plan is held. A plan ends when its steps have ended. The column STEPS has two numbers: the steps \
      that have ended, and all steps. `teller jobs --plan` lists the jobs of a plan.

      On a terminal the command prints a table, and the command for the next page. In a pipe each plan is one line, without \
      a header, with tabs between the columns.

      With --json one object a line: "id", "number", "department", "state", "steps", "steps_done", "accepted_ms", \
      "finished_ms" (milliseconds since 1970; left out while the plan is open). --before with the "number" of the last object \
      shows the next page.

      EXAMPLE: teller plans -d init --all
      """
  )

  @Option(name: .shortAndLong, help: "Only plans of this department.")
  var department: Department?

  @Flag(help: "List ended plans, too.")
  var all = false

  @Option(help: ArgumentHelp("Only plans with a lower number, to go on after an earlier list.", valueName: "number"))
  var before: Int64?

  @OptionGroup var list: ListOptions

  func run() async throws { try await list.show(pages, from: before) }

  var pages: PagedList<PlanStatus, Int64> {
    PagedList(
      command: "plans", none: all ? "no plans" : "no open plans",
      given: [("--department", department?.name), ("--all", all ? "" : nil)], table: PlansText.table,
      option: { ("--before", String($0)) }
    ) { client, limit, before in
      let limit = min(limit, PlanQuery.limits.upperBound)
      let query = PlanQuery(department: department, includesEnded: all, limit: limit, before: before)
      let page = try await client.plans(query)
      return (page.plans, page.next)
    }
  }
}

/// Plans as rows.
enum PlansText {
  static func table(_ plans: [PlanStatus], now: Date) -> Table {
    var table = Table("PLAN", "DEPARTMENT", "STATE", "STEPS", "ACCEPTED")
    for plan in plans {
      table.add(
        plan.id.description, plan.department.name, plan.state.rawValue, "\(plan.stepsDone)/\(plan.steps)",
        Moments.relative(plan.accepted, now: now))
    }
    return table
  }
}
