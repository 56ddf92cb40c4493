public import JobModel
import JobTransport

extension SubscriberStatus {
  /// The last event that the subscriber has handled.
  public var position: EventPosition { EventPosition(epoch: epoch, sequence: sequence, offset: offset) }
}

extension TellerClient {
  /// Asks for a page of the subscribers that keep their places by name.
  ///
  /// - Parameter query: Where the page begins.
  /// - Returns: The page; its ``SubscriberPage/next`` is the `after` of the page after it.
  /// - Throws: ``TellerError/invalid(reason:)``; ``TellerError`` when no coordinator answers; `CancellationError`.
  public func subscribers(_ query: SubscriberQuery = SubscriberQuery()) async throws -> SubscriberPage {
    if let problem = query.problem { throw TellerError.invalid(reason: problem) }
    return try await core.ask(.subscribers(query))
  }

  /// Asks for the place of one subscriber.
  ///
  /// - Parameter name: The subscriber's name.
  /// - Returns: Its place.
  /// - Throws: ``TellerError/refused(_:)`` with the code `not_found` when no place is kept; ``TellerError`` when no
  ///   coordinator answers; `CancellationError`.
  public func subscriber(_ name: SubscriberName) async throws -> SubscriberStatus {
    try await core.ask(.subscriber(name))
  }

  /// Keeps the place of a subscriber no more. A watch of that name that goes on tells its place again. For operators.
  ///
  /// - Parameter name: The subscriber's name.
  /// - Returns: The subscriber, and whether a place was kept.
  /// - Throws: ``TellerError`` when no coordinator answers, or it refuses; `CancellationError`.
  @discardableResult
  public func forgetSubscriber(_ name: SubscriberName) async throws -> ForgottenSubscriber {
    try await core.command(.forgetSubscriber(name))
  }
}
