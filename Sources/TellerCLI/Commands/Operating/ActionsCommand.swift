import ArgumentParser
import Foundation
import JobModel
import Teller

struct ActionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "actions",
    abstract: "Lists what operators did, the newest first.",
    discussion: """
      Commands are recorded, and each reading of a payload. So is what the page and these commands do without one: \
      start_plan, send_event, accept_event, dismiss_event, put_back and drop_rejected (rejected messages), screen (the action of a \
      screen of the page). A refused command is not, nor is a pause, a resume, a freed key or \
      a command about named jobs that has changed nothing. A rerank is recorded when it is asked for. BY is the name that the command \
      carried, as its sender says: the page gives the name of whoever has signed in. USER is the user of the broker who sent \
      the command. The broker vouches for the user, not for the name.

      A command about many jobs is one row, with the number of its operation. `teller show` tells the actions about one job.

      Actions are kept as long as ended jobs, and at most the last 100,000.

      With --json one object a line: "number", "at_ms", "action", "by", "user", "job", "department", "kind", "name" (a key, a \
      plan, a worker, a subscriber, the ids of rejected messages, a screen and its action), "detail" (a priority, a rank, a number \
      of tellers, what becomes of gates, a number of messages), "operation". What an action does not \
      have is left out.

      EXAMPLE: teller actions -n 20
      """
  )

  @Option(help: "Only actions about this job.")
  var job: JobID?

  @Option(help: ArgumentHelp("Only actions with a lower number, to go on after an earlier list.", valueName: "number"))
  var before: Int64?

  @OptionGroup var list: ListOptions

  func run() async throws { try await list.show(actions, from: before) }

  private var actions: PagedList<OperatorAction, Int64> {
    PagedList(
      command: "actions", none: "no actions", given: [("--job", job?.description)], table: ActionsText.table,
      option: { ("--before", String($0)) }
    ) { client, limit, before in
      let page = try await client.actions(
        ActionQuery(job: job, limit: min(limit, ActionQuery.limits.upperBound), before: before))
      return (page.actions, page.next)
    }
  }
}

/// Actions as rows, and as lines of a job.
enum ActionsText {
  static func table(_ actions: [OperatorAction], now: Date) -> Table {
    var table = Table("AT", "ACTION", "BY", "USER", "ABOUT")
    for action in actions {
      table.add(
        Moments.text(action.date, now: now), action.action, action.by?.name ?? "–", action.user ?? "–", about(action))
    }
    return table
  }

  /// `cancel, by ada (operator), 2026-11-26T12:00:00Z (3 min ago)`.
  static func line(_ action: OperatorAction, now: Date) -> String {
    [
      action.action, action.detail, author(action), Moments.text(action.date, now: now),
      action.operation.map { "operation \($0)" },
    ].compactMap { $0 }.joined(separator: ", ")
  }

  private static func author(_ action: OperatorAction) -> String? {
    guard let by = action.by else { return action.user.map { "by \($0)" } }
    return "by \(by)" + (action.user.map { " (\($0))" } ?? "")
  }

  private static func about(_ action: OperatorAction) -> String {
    let words = [
      action.job?.description, action.department.map { "department \($0)" }, action.kind.map { "kind \($0)" },
      action.name, action.detail, action.operation.map { "operation \($0)" },
    ].compactMap { $0 }
    return words.isEmpty ? "–" : words.joined(separator: ", ")
  }
}
