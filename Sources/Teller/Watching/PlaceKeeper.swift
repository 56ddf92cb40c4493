import AsyncAlgorithms
import JobModel
import JobTransport
import Logging
import Synchronization

/// Keeps the place of a named watch on the coordinator: from time to time while the watch goes on, and at its end.
final class PlaceKeeper: Sendable {
  /// How often the place is kept at most. So many events, or a little more, may come again after a kill.
  static let interval: Duration = .seconds(1)
  /// How often a watch to which nothing comes says that it is there. The coordinator drops who has not been seen for long.
  static let seenInterval: Duration = .seconds(600)

  private struct State {
    /// The last event that the reader was given, until it is handled.
    var given: EventPosition?
    /// The last event that is handled.
    var handled: EventPosition?
    /// The last place that the coordinator has kept.
    var kept: EventPosition?
    var keptAt: ContinuousClock.Instant?
    /// Whether the coordinator was not reached the last time.
    var isFailing = false
    /// Why the place can never be kept.
    var problem: TellerError?
  }

  private let name: SubscriberName
  private let core: ClientCore
  private let state: Mutex<State>

  /// `kept`: the place that is kept now; nil: none is.
  init(_ name: SubscriberName, _ core: ClientCore, kept: EventPosition?) {
    (self.name, self.core) = (name, core)
    state = Mutex(State(handled: kept, kept: kept, keptAt: kept.map { _ in .now }))
  }

  // MARK: What the reader does

  /// The reader asks for the next event: it has handled the one before.
  ///
  /// - Throws: The reason why its place can never be kept.
  func asked() throws(TellerError) {
    let problem = state.withLock { state in
      state.handled = state.given ?? state.handled
      state.given = nil
      return state.problem
    }
    if let problem { throw problem }
  }

  /// The reader is given an event. A live one has no place.
  func gave(_ event: JobEvent) {
    if let position = event.position { state.withLock { $0.given = position } }
  }

  /// The filter passes over an event: so it is handled. The reader has handled those before.
  func passedOver(_ event: JobEvent) {
    if let position = event.position { state.withLock { $0.handled = position } }
  }

  // MARK: Keeping

  /// Keeps the place in the background, until the task is cancelled or the place can never be kept.
  ///
  /// - Throws: The reason.
  func run() async throws {
    for await _ in AsyncTimerSequence(interval: PlaceKeeper.interval, clock: .continuous) {
      do {
        try await keep(orSeenFor: PlaceKeeper.seenInterval)
        note(failing: nil)
      } catch let error as TellerError {
        if error.isFinalForPlaces {
          state.withLock { $0.problem = error }
          throw error
        }
        // The next place tells more. Who looks at the list sees how far behind this one is.
        note(failing: error)
      }
    }
  }

  /// Keeps the place, unless it is kept; `limit`: also a kept one when nothing was told for that long.
  ///
  /// - Throws: `TellerError` when the coordinator does not answer, or refuses; `CancellationError`.
  func keep(orSeenFor limit: Duration? = nil) async throws {
    let due = state.withLock { state -> EventPosition? in
      let isSilent = limit.map { limit in state.keptAt.map { $0.duration(to: .now) >= limit } ?? false } ?? false
      return isSilent || state.handled != state.kept ? state.handled : nil
    }
    guard let due else { return }
    let _: SubscriberStatus = try await core.ask(.keepPlace(PlaceOrder(name, due)))
    state.withLock { ($0.kept, $0.keptAt) = (due, .now) }
  }

  private func note(failing error: TellerError?) {
    let isNew = state.withLock { state in
      defer { state.isFailing = error != nil }
      return state.isFailing != (error != nil)
    }
    guard isNew, let error else { return }
    core.logger.warning(
      "the place of a subscriber is not kept for now", metadata: ["name": "\(name)", "reason": "\(error)"])
  }
}

extension PlaceOrder {
  init(_ name: SubscriberName, _ position: EventPosition) {
    self.init(
      name, at: NotificationPosition(epoch: position.epoch, seq: position.sequence), offset: position.offset)
  }
}

extension TellerError {
  /// Whether no place will be kept, however often it is told.
  fileprivate var isFinalForPlaces: Bool {
    switch self {
    case .refused(let failure):
      [JobFailure.Code.tooManySubscribers, JobFailure.Code.notAllowed].contains(failure.code)
    case .brokerRefused, .closed: true
    default: false
    }
  }
}
