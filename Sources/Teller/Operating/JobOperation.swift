public import Foundation
import JobTransport

/// A command about so many jobs that the coordinator carries it out in steps. It goes on when nobody waits for it, and
/// when the coordinator is replaced. Jobs that are accepted after it was given are not part of it.
public struct JobOperation: Hashable, Sendable, Identifiable {
  /// Its number.
  public var id: Int64
  /// `cancel`, `replay`, `drop` or `reset`.
  public var action: String
  /// How many jobs it has changed.
  public var changed: Int
  /// How many it has looked at.
  public var looked: Int
  /// How many it is to look at, as counted when it was given.
  public var total: Int
  /// When it was given.
  public var started: Date
  /// When it was done; nil while it goes on.
  public var finished: Date?
}

extension JobOperation {
  init(_ document: OperationDocument) {
    self.init(
      id: document.id, action: document.action, changed: document.changed, looked: document.looked,
      total: document.total, started: document.startedAt.date, finished: document.finishedAt?.date)
  }
}

extension TellerClient {
  /// Asks how far a command about many jobs has come.
  ///
  /// - Returns: The operation at this moment.
  /// - Throws: ``TellerError/refused(_:)`` with the code `not_found`; ``TellerError`` when no coordinator answers;
  ///   `CancellationError`.
  public func operation(_ id: JobOperation.ID) async throws -> JobOperation {
    JobOperation(try await operationDocument(id))
  }
}
