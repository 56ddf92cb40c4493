import ArgumentParser
import Foundation
import Teller

struct KeysCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "Lists the keys that are taken, by kind and key.",
    discussion: """
      A submission of the same kind with a taken key is the job that has the key. A key stays taken until its window \
      has passed and its job has ended. `teller free-key` gives a key back before.

      On a terminal a table. In a pipe one key a line, without a header, with tabs between the columns.

      With --json one object a line: "kind", "key", "job", "state" (left out: the job has ended and was removed), \
      "until_ms" (the end of the window, in milliseconds since 1970).

      EXAMPLE: teller keys -k invoice -n 200
      """
  )

  @Option(name: .shortAndLong, help: "Only keys for jobs of this kind.")
  var kind: JobKind?

  @OptionGroup var list: ListOptions

  func run() async throws {
    var query = KeyQuery(kind: kind)
    try await list.show("keys", none: "no keys are taken", table: { KeysText.table($0, now: Date()) }) {
      client, limit in
      query.limit = min(limit, KeyQuery.limits.upperBound)
      let page = try await client.keys(query)
      query.after = page.next
      return (page.keys, page.next != nil)
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
        key.until > now ? Moments.relative(key.until, now: now) : "its job ends")
    }
    return table
  }
}
