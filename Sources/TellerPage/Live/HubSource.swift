import JobModel
import Teller

/// Where the hub has its news from.
protocol HubSource: Sendable {
  /// How the page stands with the broker now.
  var standing: ClientStanding { get }

  /// Asks the coordinator for a board, with the jobs of these departments: in several questions, where there are many.
  func board(of departments: [Department], rows: Int) async throws -> Board

  /// Reads events until there is an error. `began` is called when all events from now on will be read.
  func read(
    since start: EventStart, began: @Sendable () async -> Void, _ take: @Sendable (JobEvent) async -> Void
  ) async throws
}
