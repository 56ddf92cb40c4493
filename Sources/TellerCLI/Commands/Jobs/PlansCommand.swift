import ArgumentParser
import Foundation
import Teller

struct PlansCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plans",
    abstract: "Lists open plans, the newest first.",
    discussion: """
      An open plan is held, as in `teller show`: it has no outcome before its steps have ended. STEPS is how many of \
      its steps have ended, and how many there are. The jobs of a plan are listed by `teller jobs`.

      On a terminal a table. In a pipe one plan a line, without a header, with tabs between the columns.

      With --json one object a line: "id", "number", "department", "state", "steps", "steps_done", "accepted_ms", \
      "finished_ms" (milliseconds since 1970; left out while the plan is open).

      EXAMPLE: teller plans -d init --all
      """
  )

  @Option(name: .shortAndLong, help: "Only plans of this department.")
  var department: Department?

  @Flag(help: "Ended plans, too.")
  var all = false

  @OptionGroup var list: ListOptions

  func run() async throws {
    var query = PlanQuery(department: department, includesEnded: all)
    let none = all ? "no plans" : "no open plans"
    try await list.show("plans", none: none, table: { PlansText.table($0, now: Date()) }) { client, limit in
      query.limit = min(limit, PlanQuery.limits.upperBound)
      let page = try await client.plans(query)
      query.before = page.next
      return (page.plans, page.next != nil)
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
