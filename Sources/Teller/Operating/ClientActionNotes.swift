public import Foundation
public import JobModel
import JobTransport

extension TellerClient {
  /// Records what was done without a command of the coordinator, beside the commands: ``actions(_:)`` lists it. For operators.
  ///
  /// The coordinator knows no more of it than the note says: it vouches for the user of the broker and for the moment. The
  /// page for browsers records the actions of your screens itself.
  ///
  /// - Parameters:
  ///   - note: What was done.
  ///   - by: Who has done it, as this program says; nil: nobody is named.
  ///   - id: The note's id. The same note by the same id is recorded once, however often it is sent.
  /// - Returns: The action as it is recorded.
  /// - Throws: ``TellerError/invalid(reason:)`` when the note is not valid, or has the word of a command; ``TellerError``
  ///   when no coordinator answers, or it refuses; `CancellationError`.
  @discardableResult
  public func note(
    _ note: ActionNote, by: OperatorName? = nil, id: UUID = UUID()
  ) async throws -> OperatorAction {
    try await core.command(.note(note), command: id, by: by)
  }
}
