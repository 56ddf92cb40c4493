import ArgumentParser
import JobModel
import JobTransport
import Teller

/// How much of a list is shown, and from where on.
struct PageOptions: ParsableArguments {
  /// How many jobs one command may show, and how many it shows when nobody says.
  static let limits = 1...1_000_000
  static let usualLimit = 50

  @Option(help: "At most so many jobs, \(PageOptions.limits.written).")
  var limit = PageOptions.usualLimit

  @Option(help: "Only jobs with a lower number, to go on after an earlier list.")
  var before: Int64?

  func validate() throws {
    guard PageOptions.limits.contains(limit) else {
      throw ValidationError("--limit is \(PageOptions.limits.written).")
    }
  }

  /// Asks for the list, a portion at a time.
  ///
  /// - Parameters:
  ///   - query: Its limit and its beginning are of no account.
  ///   - client: Whom to ask with.
  ///   - show: Gets each portion that is not empty.
  /// - Returns: What to go on with as `before`; nil when that was all.
  /// - Throws: `TellerError`, and what `show` throws.
  func each(
    of query: JobsQuery, _ client: TellerClient, show: ([JobDocument]) throws -> Void
  ) async throws -> Int64? {
    var query = query
    var left = limit
    query.before = before
    repeat {
      query.limit = min(left, JobsQuery.limits.upperBound)
      let portion = try await client.jobs(query)
      // A page of jobs that run may be empty and not the last: the ledger does not tell them from those that wait.
      if !portion.jobs.isEmpty { try show(portion.jobs) }
      left -= portion.jobs.count
      query.before = portion.next
    } while left > 0 && query.before != nil
    if left == limit, before == nil, let kind = query.kind { try await tell(ofMisspelt: kind, client) }
    return query.before
  }

  /// A kind is whatever a job was submitted with: one that is misspelt is just one without jobs.
  private func tell(ofMisspelt kind: JobKind, _ client: TellerClient) async throws {
    let newest = try await client.jobs(JobsQuery(limit: JobsQuery.limits.upperBound)).jobs
    if let note = KindNote.text(kind, newest: Set(newest.map(\.kind.name))) { Output.note(note) }
  }

  /// On a terminal the command that shows the next page, ready to be copied: it works as it is printed, in the same
  /// folder and with the same environment.
  ///
  /// - Parameters:
  ///   - next: Nil when there is none.
  ///   - command: The command that was given.
  ///   - options: Those that it was given, those of every command among them.
  func tellOfMore(_ next: Int64?, command: String, _ options: [(name: String, value: String?)]) {
    guard let next, TerminalSize.columns != nil else { return }
    let program = CommandLine.arguments.first ?? "teller"
    Output.note("there are more: \(nextPage(next, program: program, command: command, options))")
  }

  func nextPage(
    _ next: Int64, program: String, command: String, _ options: [(name: String, value: String?)]
  ) -> String {
    let given = options.flatMap { name, value in value.map { $0.isEmpty ? [name] : [name, $0] } ?? [] }
    let words = [program, command] + given + ["--limit", String(limit), "--before", String(next)]
    return words.map(ShellWord.quoted).joined(separator: " ")
  }
}

/// What is said when no job of a kind is found.
enum KindNote {
  /// Nil when one of the newest jobs is of that kind: it is no misspelling.
  static func text(_ kind: JobKind, newest: Set<String>) -> String? {
    if newest.contains(kind.name) { return nil }
    let meant = Suggestion.nearest(to: kind.name, in: newest).map { "; did you mean \"\($0)\"?" } ?? ""
    return "no job of kind \"\(kind)\" is found\(meant)"
  }
}
