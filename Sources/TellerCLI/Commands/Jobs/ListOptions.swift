import ArgumentParser
import Teller

/// The options of a list that is read a page at a time, always from its beginning.
struct ListOptions: ParsableArguments {
  @Option(name: .shortAndLong, help: "At most so many rows, \(PageOptions.limits.written).")
  var limit = PageOptions.usualLimit

  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    guard PageOptions.limits.contains(limit) else {
      throw ValidationError("--limit is \(PageOptions.limits.written).")
    }
  }

  /// Prints a list, a page at a time; on a terminal also that there is more, or that there is nothing. `page` asks for the
  /// next page of at most so many rows; the last page says that the list does not go on.
  func show<Row: Encodable & Sendable>(
    _ command: String, none: String, table: ([Row]) -> Table,
    page: (TellerClient, _ limit: Int) async throws -> (rows: [Row], goesOn: Bool)
  ) async throws {
    let width = TerminalSize.columns
    var growing = GrowingTable()
    var (left, goesOn) = (limit, true)
    try await answer.global.withClient(command) { client in
      while left > 0, goesOn {
        let (rows, isFollowed) = try await page(client, left)
        (left, goesOn) = (left - rows.count, isFollowed)
        if answer.json {
          for row in rows { try Output.json(row) }
        } else if !rows.isEmpty {
          growing.lines(table(rows), width: width).forEach(Output.line)
        }
      }
    }
    guard !answer.json, width != nil else { return }
    if left == limit { Output.line(none) }
    if goesOn { Output.note("there are more: a larger --limit shows them") }
  }
}

extension AnswerOptions {
  /// Prints a list: one JSON object a line, or a table; on a terminal `none` instead of an empty table.
  func list(_ rows: [some Encodable & Sendable], table: Table, none: String) throws {
    if json {
      for row in rows { try Output.json(row) }
      return
    }
    let width = TerminalSize.columns
    if rows.isEmpty, width != nil { return Output.line(none) }
    table.lines(width: width).forEach(Output.line)
  }
}
