import Foundation
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

  func board(of departments: [Department], rows: Int) async throws -> any BoardDocument {
    StatusBoard(try await client.status())
  }

  func read(
    since start: EventStart, began: @Sendable () async -> Void, _ take: @Sendable (JobEvent) async -> Void
  ) async throws {
    let events = try await client.events(since: start, matching: EventFilter(events: ClientSource.events))
    await began()
    for try await event in events { await take(event) }
  }
}

/// What of a board there is in the state of the coordinator: the numbers, without jobs.
struct StatusBoard: BoardDocument {
  let status: TellerStatus
  let moment = Timestamp.now()

  init(_ status: TellerStatus) { self.status = status }

  var place: EventPosition { EventPosition(epoch: status.epoch, sequence: 0) }
  var broker: BrokerState { status.broker.state }

  private struct Document: Encodable {
    struct Line: Encodable {
      var status: DepartmentStatus
      var waiting: [Int] = []
      var running: [Int] = []
    }
    var atMs: Int64
    var ledger: LedgerID
    var epoch: Int
    var through: Int64
    var broker: BrokerStatus
    var coordinator: CoordinatorStatus
    var workers: Int
    var operations: [JobOperation]
    var departments: [Line]
  }

  func json(rowsOf departments: Set<Department>) throws -> [UInt8] {
    try PrintedJSON.bytes(
      Document(
        atMs: moment.milliseconds, ledger: status.ledger, epoch: status.epoch, through: 0, broker: status.broker,
        coordinator: status.coordinator, workers: status.workers.count, operations: status.operations,
        departments: status.departments.map { Document.Line(status: $0) }))
  }
}
