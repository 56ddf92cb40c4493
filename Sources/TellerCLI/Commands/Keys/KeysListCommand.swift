import ArgumentParser
import Foundation
import Teller

struct KeysListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Lists the keys that are taken, by kind and key. `teller keys` does the same.",
    discussion: """
      On a terminal the command prints a table, and the command for the next page. In a pipe each key is one line, without \
      a header, with tabs between the columns.

      With --json one object a line: "kind", "key", "job", "state" (left out when the job has ended and was \
      removed), "until_ms" (the end of the window, in milliseconds since 1970; left out when the key is taken exactly until \
      its job ends). --after with the "kind" and the "key" of the \
      last object shows the next page.

      EXAMPLES:
        teller keys list -k invoice -n 200
        teller keys list -k invoice --after invoice/2026-03/A-17
      """
  )

  @Option(name: .shortAndLong, help: "Only keys for jobs of this kind.")
  var kind: JobKind?

  @Option(help: ArgumentHelp("Only the keys behind this one, to go on after an earlier list.", valueName: "kind/key"))
  var after: JobKey?

  @OptionGroup var list: ListOptions

  func run() async throws { try await list.show(pages, from: after) }

  var pages: PagedList<TakenKey, JobKey> {
    PagedList(
      command: "keys", none: "no keys are taken", given: [("--kind", kind?.name)], table: KeysText.table,
      option: { ("--after", "\($0.kind)/\($0.key)") }
    ) { client, limit, after in
      let limit = min(limit, KeyQuery.limits.upperBound)
      let page = try await client.keys(KeyQuery(kind: kind, limit: limit, after: after))
      return (page.keys, page.next)
    }
  }
}

/// Keys as rows.
enum KeysText {
  static func table(_ keys: [TakenKey], now: Date) -> Table {
    var table = Table("KIND", "KEY", "JOB", "STATE", "UNTIL")
    for key in keys {
      table.add(
        key.kind.name, key.key, key.job.description, key.state?.rawValue ?? "ended",
        key.until.flatMap { $0 > now ? Moments.relative($0, now: now) : nil } ?? "its job ends")
    }
    return table
  }
}
