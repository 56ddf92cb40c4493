import ArgumentParser
import Foundation
import Teller

struct SubscribersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "subscribers",
    abstract: "Lists the subscribers that keep their places by name; forgets one.",
    discussion: """
      A subscriber is whoever watches with a name: `teller watch --name`, or a program. The coordinator keeps only its place. \
      It keeps at most \(SubscriberStatus.most) of them, and drops those that it has not heard for a long time \
      (`retention: subscribers` in teller.yaml).

      EXAMPLES:
        teller subscribers
        teller subscribers forget audit
      """,
    subcommands: [SubscribersListCommand.self, SubscribersForgetCommand.self],
    defaultSubcommand: SubscribersListCommand.self)
}

struct SubscribersListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Lists the subscribers by name. `teller subscribers` does the same.",
    discussion: """
      The place is the last event that the subscriber has handled. BEHIND says how many events were recorded since, \
      whether its filter passes them or not; – means that the place is of an earlier epoch.

      On a terminal the command prints a table, and the command for the next page. In a pipe each subscriber is one line, \
      without a header, with tabs between the columns.

      With --json one object a line: "name", "epoch", "seq", "offset" (left out when it is not known), "behind" (left out for \
      a place of an earlier epoch), "seen_ms" (when the subscriber last told its place, in milliseconds since 1970). --after \
      with the "name" of the last object shows the next page.

      EXAMPLE: teller subscribers list --after audit
      """
  )

  @Option(
    help: ArgumentHelp("Only the subscribers behind this one, to go on after an earlier list.", valueName: "name"))
  var after: SubscriberName?

  @OptionGroup var list: ListOptions

  func run() async throws { try await list.show(pages, from: after) }

  var pages: PagedList<SubscriberStatus, SubscriberName> {
    PagedList(
      command: "subscribers", none: "no subscribers", given: [], table: SubscribersText.table,
      option: { ("--after", $0.name) }
    ) { client, limit, after in
      let limit = min(limit, SubscriberQuery.limits.upperBound)
      let page = try await client.subscribers(SubscriberQuery(limit: limit, after: after))
      return (page.subscribers, page.next)
    }
  }
}

struct SubscribersForgetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Forgets the place of a subscriber.",
    discussion: """
      The next watch of that name begins where its --since says. A watch of that name that goes on tells its place again: \
      end it first.

      With --json one object: "name", "changed" (whether a place was kept).

      EXAMPLE: teller subscribers forget audit
      """
  )

  @Argument(help: "The name of the subscriber.")
  var name: SubscriberName

  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    try await answer.show("subscribers", { try await $0.forgetSubscriber(name) }) {
      [$0.wasKept ? "the place of \($0.name) is forgotten" : "no place was kept for \($0.name)"]
    }
  }
}

/// Subscribers as rows.
enum SubscribersText {
  static func table(_ subscribers: [SubscriberStatus], now: Date) -> Table {
    var table = Table("NAME", "PLACE", "BEHIND", "LAST SEEN")
    for subscriber in subscribers {
      table.add(
        subscriber.name.name, subscriber.position.description, subscriber.behind.map(String.init) ?? "–",
        Moments.relative(subscriber.seen, now: now))
    }
    return table
  }
}
