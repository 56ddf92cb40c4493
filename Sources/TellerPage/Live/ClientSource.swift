import JobModel
import JobTransport
import Teller

/// The news of a real client.
struct ClientSource: HubSource {
  let client: TellerClient

  var standing: ClientStanding { client.standing }

  /// The names of the events that are told: all but how far a run has come, which changes all the time. What is live is
  /// told only where it is named.
  static let events = Set(JobEvent.Change.names).subtracting([JobEvent.Change.progress.name])

  func board(of departments: [Department], rows: Int) async throws -> Board {
    let pieces = departments.pieces(of: BoardQuery.mostDepartments)
    var board = try await client.board(BoardQuery(departments: Array(pieces.first ?? []), limit: rows))
    for piece in pieces.dropFirst() {
      board.add(rowsOf: try await client.board(BoardQuery(departments: Array(piece), limit: rows)), Set(piece))
    }
    return board
  }

  func read(
    since start: EventStart, began: @Sendable () async -> Void, _ take: @Sendable (JobEvent) async -> Void
  ) async throws {
    let events = try await client.events(since: start, matching: EventFilter(events: ClientSource.events))
    await began()
    for try await event in events { await take(event) }
  }
}
