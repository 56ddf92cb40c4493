public import Foundation
import JobTransport

/// A command about so many jobs that the coordinator carries it out in steps. The operation goes on when no client waits
/// for it, and when the coordinator is replaced. A job that is accepted after the command is not part of it.
public struct JobOperation: Hashable, Sendable, Identifiable {
  /// The operation's number.
  public var id: Int64
  /// The command: `cancel`, `replay`, `drop` or `reset`.
  public var action: String
  /// How many jobs the operation has changed.
  public var changed: Int
  /// How many jobs the operation has looked at.
  public var looked: Int
  /// How many jobs there are to look at, counted at the command.
  public var total: Int
  /// When the command was given.
  public var started: Date
  /// When the operation was done; nil while it goes on.
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
  /// Asks how far an operation has come.
  ///
  /// - Returns: The operation at this moment.
  /// - Throws: ``TellerError/refused(_:)`` with the code `not_found`; ``TellerError`` when no coordinator answers;
  ///   `CancellationError`.
  public func operation(_ id: JobOperation.ID) async throws -> JobOperation {
    JobOperation(try await ask(.operation(id)))
  }
}
