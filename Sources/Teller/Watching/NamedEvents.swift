public import JobModel
import JobTransport

/// The events of all jobs, for a reader that keeps its place by name on the coordinator. Else as ``JobEvents``.
///
///     let events = try await client.events(named: "audit", since: .start)
///     for try await event in events {
///       try await journal.write(event)
///     }
///
/// Who asks for the next event says that the one before is handled. The place of that one is kept in the background, at most
/// once a second, and by ``finish(lastIsHandled:)``. After a kill, the events that were handled in the last second may come
/// again, and those since the coordinator was last reached. After ``finish(lastIsHandled:)`` none come again.
///
/// Two readers with one name get all events each; the further place counts.
public struct NamedEvents: AsyncSequence, Sendable {
  /// An event of a job.
  public typealias Element = JobEvent

  let watch: NamedWatch

  /// Reads on where the last iterator stopped.
  public func makeAsyncIterator() -> Iterator { Iterator(watch: watch) }

  /// Reads the events one by one.
  public struct Iterator: AsyncIteratorProtocol {
    /// The watch ends with its last reference.
    let watch: NamedWatch

    /// Says that the event before is handled, and waits for the next event that passes the filter. Those that the filter
    /// passes over count as handled.
    ///
    /// - Returns: The event; never nil.
    /// - Throws: The end of the events: ``TellerError``, or `CancellationError`. ``TellerError/refused(_:)`` with the code
    ///   `too_many_subscribers` when the coordinator keeps as many places as it may.
    public mutating func next() async throws -> JobEvent? { try await watch.next() }
  }

  /// Keeps the place, and ends the watch: after this returns, no event that was handled comes again. To be called once.
  ///
  /// - Parameter lastIsHandled: Whether the last event that was read is handled, too; false: it comes again.
  /// - Throws: ``TellerError`` when the coordinator does not answer, or refuses; `CancellationError`. Then events that were
  ///   handled since the place was last kept come again.
  public func finish(lastIsHandled: Bool = true) async throws { try await watch.finish(lastIsHandled) }
}

/// Reads the events of one named sequence, and keeps its place, until the sequence is gone.
final class NamedWatch: Sendable {
  private let events: EventWatch
  private let filter: EventFilter
  private let keeper: PlaceKeeper
  private let keeping: Task<Void, Never>
  /// A client that nobody holds disconnects.
  private let client: TellerClient

  init(_ events: EventWatch, _ filter: EventFilter, _ keeper: PlaceKeeper, of client: TellerClient) {
    (self.events, self.filter, self.keeper, self.client) = (events, filter, keeper, client)
    let buffer = events.buffer
    keeping = Task {
      do {
        try await keeper.run()
      } catch {
        // Its reader may wait for an event.
        if !(error is CancellationError) { buffer.fail(error) }
      }
    }
  }

  deinit {
    keeping.cancel()
    let (keeper, client) = (keeper, client)
    Task {
      try? await keeper.keep()
      withExtendedLifetime(client) {}
    }
  }

  func next() async throws -> JobEvent {
    try keeper.asked()
    while true {
      let event = try await events.buffer.next()
      if filter.passes(event) {
        keeper.gave(event)
        return event
      }
      keeper.passedOver(event)
    }
  }

  func finish(_ lastIsHandled: Bool) async throws {
    keeping.cancel()
    await keeping.value
    if lastIsHandled { try keeper.asked() }
    try await keeper.keep()
  }
}

extension TellerClient {
  /// Watches all jobs for a reader that keeps its place by name on the coordinator.
  ///
  /// - Parameters:
  ///   - name: The reader's name. The coordinator keeps at most ``SubscriberStatus/most`` of them, and drops who was not
  ///     seen for `retention: subscribers` in `teller.yaml`. A reader that waits for events is seen.
  ///   - start: Where to begin when no place is kept for the name; else the watch begins behind that place. With `.now` the
  ///     present place is kept at once: who dies before the first event misses none.
  ///   - filter: Which events; the others are passed over. See ``events(since:matching:)``.
  /// - Returns: The events.
  /// - Throws: ``TellerError`` when no coordinator answers, it refuses, or the notification stream is not reached;
  ///   `CancellationError`.
  public func events(
    named name: SubscriberName, since start: EventStart, matching filter: EventFilter = EventFilter()
  ) async throws -> NamedEvents {
    var kept = try await keptPlace(of: name)
    if kept == .none { kept = try await register(name, at: start) }
    let events = try await watch(since: kept.start(or: start), matching: filter)
    let keeper = PlaceKeeper(name, core, kept: kept.position)
    return NamedEvents(watch: NamedWatch(events, filter, keeper, of: self))
  }

  private func keptPlace(of name: SubscriberName) async throws -> KeptPlace {
    do {
      return .known(try await subscriber(name).position)
    } catch TellerError.refused(let failure) where failure.code == JobFailure.Code.notFound {
      return .none
    }
  }

  /// Keeps the first place of a name, where that is known.
  private func register(_ name: SubscriberName, at start: EventStart) async throws -> KeptPlace {
    let order: PlaceOrder
    switch start {
    case .now: order = PlaceOrder(name)
    case .after(let position): order = PlaceOrder(name, position)
    // Whoever dies before the first event begins there again.
    case .start, .at: return .none
    }
    let status: SubscriberStatus = try await core.ask(.keepPlace(order))
    return .first(status.position)
  }
}

/// The place that the coordinator keeps when a watch begins.
private enum KeptPlace: Equatable {
  case known(EventPosition)
  /// It was kept just now.
  case first(EventPosition)
  case none

  var position: EventPosition? {
    switch self {
    case .known(let position), .first(let position): position
    case .none: nil
    }
  }

  func start(or start: EventStart) -> EventStart {
    if case .known(let position) = self { .after(position) } else { start }
  }
}
