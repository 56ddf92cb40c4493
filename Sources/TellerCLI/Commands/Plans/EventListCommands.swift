import ArgumentParser
import Foundation
import JobModel
import Teller

struct EventListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Lists events, the newest first.",
    discussion: """
      On a terminal the command prints a table, and the command for the next page. In a pipe each event is one line, without \
      a header, with tabs between the columns.

      With --json one object a line: "id", "number", "name", "plan", "state" (kept, acted, announced, dismissed), "department", \
      "kind", "received_ms", "decided_ms" (milliseconds since 1970). --before with the "number" of the last object \
      shows the next page.

      EXAMPLE: teller event list --plan opening --state announced
      """
  )

  @Option(help: "Only events of this plan.")
  var plan: PlanName?

  @Option(name: .shortAndLong, help: "Only events in this state: kept, acted, announced, dismissed.")
  var state: EventStateArgument?

  @Option(help: ArgumentHelp("Go on after an earlier list.", valueName: "number"))
  var before: Int64?

  @OptionGroup var list: ListOptions

  func run() async throws { try await list.show(pages, from: before) }

  var pages: PagedList<EventStatus, Int64> {
    PagedList(
      command: "event list", none: "no events", given: [("--plan", plan?.name), ("--state", state?.rawValue)],
      table: EventsText.table, option: { ("--before", String($0)) }
    ) { client, limit, before in
      let limit = min(limit, EventQuery.limits.upperBound)
      let query = EventQuery(plan: plan, state: state?.state, limit: limit, before: before)
      let page = try await client.events(query)
      return (page.events, page.next)
    }
  }
}

/// A state of events as an argument.
enum EventStateArgument: String, ExpressibleByArgument, CaseIterable {
  case kept, acted, announced, dismissed

  var state: EventState { EventState(rawValue: rawValue) }
}

struct EventShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Shows an event.",
    discussion: """
      `teller show` with the same id shows the job that acts on the event.

      With --payload only the payload is printed, byte for byte. Only an operator may read payloads. A dismissed event has \
      none any more.

      With --json one object, as a line of `teller event list --json`.

      EXAMPLES:
        teller event show 0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11
        teller event show 0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11 --payload
      """
  )

  @Argument(help: "The event's id.")
  var id: JobID

  @Flag(help: "Print the payload alone, as it is.")
  var payload = false

  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    if payload, answer.json { throw ValidationError("Give one of --payload and --json.") }
  }

  func run() async throws {
    if payload {
      return Output.bytes(try await answer.global.withClient("event") { try await $0.payload(of: id) }.payload)
    }
    try await answer.show("event", { try await $0.event(id) }) { event in
      let now = Date()
      let fields = [
        ("event", event.name.name), ("id", event.id.description), ("plan", event.plan.name),
        ("state", event.state.rawValue), ("department", event.department.name), ("kind", event.kind.name),
        ("received", Moments.text(event.received, now: now)),
        ("decided", event.decided.map { Moments.text($0, now: now) }),
      ]
      return fields.compactMap { name, value in value.map { NamedLine.text(name, $0, nil) } }
    }
  }
}

/// Events as rows.
enum EventsText {
  static func table(_ events: [EventStatus], now: Date) -> Table {
    var table = Table("EVENT", "NAME", "PLAN", "STATE", "RECEIVED")
    for event in events {
      table.add(
        event.id.description, event.name.name, event.plan.name, event.state.rawValue,
        Moments.relative(event.received, now: now))
    }
    return table
  }
}
