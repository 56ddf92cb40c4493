import ArgumentParser
import Foundation
import JobModel
import Teller

/// The options of a list: how many jobs it shows, where it begins, and how it is printed.
struct PageOptions: ParsableArguments {
  /// How many jobs one command may show, and the default.
  static let limits = 1...1_000_000
  static let usualLimit = 50

  @Option(name: [.customShort("n"), .long], help: "The most lines that are printed, \(PageOptions.limits.written).")
  var limit = PageOptions.usualLimit

  @Option(help: ArgumentHelp("Only jobs with a lower number, to go on after an earlier list.", valueName: "number"))
  var before: Int64?

  @Flag(name: .shortAndLong, help: "Print one JSON object a line.")
  var json = false

  @OptionGroup var global: GlobalOptions

  func validate() throws {
    guard PageOptions.limits.contains(limit) else {
      throw ValidationError("--limit is \(PageOptions.limits.written).")
    }
  }

  /// Prints the list of a query, whose `limit` and `before` are replaced, and on a terminal the command that shows the
  /// next page.
  func show(
    _ query: JobQuery, command: String, _ filter: GivenOptions, table: ([JobRecord], Date) -> Table
  ) async throws {
    var growing = GrowingTable()
    let next = try await global.withClient(command) { client in
      try await each(of: query, client) { jobs in
        if json { return try jobs.forEach(Output.json) }
        growing.lines(table(jobs, Date()), width: TerminalSize.columns).forEach(Output.line)
      }
    }
    guard let next, !json, TerminalSize.columns != nil else { return }
    Output.note(NextPage.note(command, filter + global.given + nextPage(next)))
  }

  /// The options for the page behind this one.
  func nextPage(_ next: Int64) -> GivenOptions { [("--limit", String(limit)), ("--before", String(next))] }

  /// Asks for the list, a portion at a time.
  ///
  /// - Returns: The `before` of the next page; nil when there is none.
  private func each(
    of query: JobQuery, _ client: TellerClient, show: ([JobRecord]) throws -> Void
  ) async throws -> Int64? {
    var query = query
    var left = limit
    query.before = before
    repeat {
      query.limit = min(left, JobQuery.limits.upperBound)
      let portion = try await client.jobs(query)
      // A page may be empty and not the last: no index finds running jobs, or an error code.
      if !portion.jobs.isEmpty { try show(portion.jobs) }
      left -= portion.jobs.count
      query.before = portion.next
    } while left > 0 && query.before != nil
    if left == limit, before == nil, let kind = query.kind { try await tell(ofMisspelt: kind, client) }
    return query.before
  }

  /// Tells that a kind may be misspelt. A kind need not be declared, so a misspelt one is a kind without jobs.
  private func tell(ofMisspelt kind: JobKind, _ client: TellerClient) async throws {
    let query = JobQuery(limit: JobQuery.limits.upperBound)
    let newest = try await client.jobs(query).jobs
    if let note = KindNote.text(kind, newest: Set(newest.map(\.kind.name))) { Output.note(note) }
  }
}

/// The note about a kind without jobs.
enum KindNote {
  /// Nil when one of the newest jobs is of that kind: then it is not misspelt.
  static func text(_ kind: JobKind, newest: Set<String>) -> String? {
    if newest.contains(kind.name) { return nil }
    let meant = Suggestion.question(for: kind.name, in: newest)
    return "no job of kind \"\(kind)\" is found\(meant)"
  }
}
