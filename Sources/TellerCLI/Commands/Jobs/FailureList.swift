import Foundation
import Teller

/// Failed jobs, counted by department, kind and error code.
struct FailureList {
  /// The most different errors that are counted: a handler may make up a code for each job.
  static let mostLines = 10_000

  let page: PageOptions

  /// Counts the failed jobs of a query, and prints the largest counts.
  func show(_ query: JobQuery) async throws {
    let counts = try await page.global.withClient("failed") { try await count(query, $0) }
    let lines = Array(counts.lines.prefix(page.limit))
    if page.json {
      try lines.forEach(Output.json)
    } else if !lines.isEmpty {
      FailureTable.table(lines, now: Date()).lines(width: TerminalSize.columns).forEach(Output.line)
    }
    for note in FailureTable.notes(counts, shown: lines.count) { Output.note(note) }
  }

  /// Asks until all are counted, part by part.
  private func count(_ query: JobQuery, _ client: TellerClient) async throws -> FailureCounts {
    var query = FailureQuery(
      department: query.department, kind: query.kind, since: query.since, until: query.until, error: query.error,
      before: page.before)
    var counts = try await client.failures(query)
    while let next = counts.next, counts.lines.count < FailureList.mostLines {
      query.before = next
      counts.add(try await client.failures(query))
    }
    return counts
  }
}

/// The counts as rows.
enum FailureTable {
  static func table(_ lines: [FailureCounts.Line], now: Date) -> Table {
    var table = Table("JOBS", "ERROR", "KIND", "DEPARTMENT", "NEWEST", "EXAMPLE")
    for line in lines {
      table.add(
        String(line.jobs), line.error, line.kind.name, line.department.name, Moments.relative(line.newest, now: now),
        line.example.description)
    }
    return table
  }

  /// What a person should know of the counts that are not shown, or not counted.
  static func notes(_ counts: FailureCounts, shown: Int) -> [String] {
    var notes: [String] = []
    if counts.lines.count > shown {
      notes.append("\(shown) of \(counts.lines.count) lines are shown: for all add --limit \(counts.lines.count)")
    }
    if let next = counts.next {
      notes.append("there are too many different errors to count them all: go on with --before \(next)")
    }
    return notes
  }
}
