import ArgumentParser
import Foundation
import Teller

/// The options of a list that is read a page at a time.
struct ListOptions: ParsableArguments {
  @Option(name: [.customShort("n"), .long], help: "The most rows that are printed, \(PageOptions.limits.written).")
  var limit = PageOptions.usualLimit

  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    guard PageOptions.limits.contains(limit) else {
      throw ValidationError("--limit is \(PageOptions.limits.written).")
    }
  }

  /// Prints a list, a page at a time, from a place or from the beginning; on a terminal also the command that goes on, or
  /// that there is nothing.
  func show<Row, Place>(_ list: PagedList<Row, Place>, from place: Place?) async throws {
    var growing = GrowingTable()
    var (left, next) = (limit, place)
    try await answer.global.withClient(list.command) { client in
      repeat {
        let (rows, following) = try await list.page(client, left, next)
        (left, next) = (left - rows.count, following)
        if answer.json { try rows.forEach(Output.json) } else { print(list.table(rows, Date()), &growing) }
      } while left > 0 && next != nil
    }
    guard !answer.json, TerminalSize.columns != nil else { return }
    if left == limit { Output.line(place == nil ? list.none : "no further ones") }
    if let next { Output.note(NextPage.note(list.command, given(list) + [list.option(next)])) }
  }

  func given<Row, Place>(_ list: PagedList<Row, Place>) -> GivenOptions {
    list.given + answer.global.given + [("--limit", String(limit))]
  }

  private func print(_ table: Table, _ growing: inout GrowingTable) {
    if !table.rows.isEmpty { growing.lines(table, width: TerminalSize.columns).forEach(Output.line) }
  }
}

/// A list of `teller`, of which the coordinator gives one page after the other.
struct PagedList<Row: Encodable & Sendable, Place: Sendable> {
  /// The name of the command.
  let command: String
  /// The line for an empty list.
  let none: String
  /// The filters of this command.
  let given: GivenOptions
  let table: ([Row], Date) -> Table
  /// The option that lets the command begin at a place.
  let option: (Place) -> (name: String, value: String?)
  /// Asks for the rows behind a place, no more than a limit; `next` is nil for the last page.
  let page: (TellerClient, _ limit: Int, _ place: Place?) async throws -> (rows: [Row], next: Place?)
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
