import JobModel
import Teller

/// Where the hub has its news from.
protocol HubSource: Sendable {
  /// How the page stands with the broker now.
  var standing: ClientStanding { get }

  /// Asks the coordinator for a board, with the jobs of these departments.
  func board(of departments: [Department], rows: Int) async throws -> any BoardDocument

  /// Reads events until there is an error. `began` is called when all events from now on will be read.
  func read(
    since start: EventStart, began: @Sendable () async -> Void, _ take: @Sendable (JobEvent) async -> Void
  ) async throws
}

/// A board as the coordinator has answered it.
protocol BoardDocument: Sendable {
  /// The last event that the board knows of.
  var place: EventPosition { get }
  /// How the coordinator stands with the broker.
  var broker: BrokerState { get }
  /// The board as JSON, with the jobs of these departments only.
  func json(rowsOf departments: Set<Department>) throws -> [UInt8]
}
