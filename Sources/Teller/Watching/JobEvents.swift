/// The events of all jobs, as they happen: the recorded ones exactly once and in their order, however often the
/// connection is lost; and, in between, live ones, which may be missing.
///
///     for try await event in try await client.events(since: .start) {
///       print(event.job, event.change.name)
///     }
///
/// For one reader. It ends by throwing: ``TellerError``, or `CancellationError`. Whoever reads slowly gets old recorded
/// events late, and misses live ones.
public struct JobEvents: AsyncSequence, Sendable {
  /// What happened to a job.
  public typealias Element = JobEvent

  let watch: EventWatch

  /// Reads on where the last reader has stopped.
  public func makeAsyncIterator() -> Iterator { Iterator(watch: watch) }

  /// Reads the events one by one.
  public struct Iterator: AsyncIteratorProtocol {
    /// Held, because the watch ends with the last who holds it.
    let watch: EventWatch

    /// Waits for the next event.
    ///
    /// - Returns: The event; never nil.
    /// - Throws: Why there are no more: ``TellerError``, or `CancellationError`.
    public mutating func next() async throws -> JobEvent? { try await watch.buffer.next() }
  }
}

/// The reading of the notification stream for one sequence; ends with it.
final class EventWatch: Sendable {
  let buffer: EventBuffer
  private let reading: Task<Void, Never>

  init(_ reader: EventReader) {
    buffer = reader.buffer
    reading = Task { await reader.run() }
  }

  deinit { reading.cancel() }
}

extension TellerClient {
  /// Watches what happens to all jobs, from the moment when this returns, or from an earlier one.
  ///
  /// - Parameter start: Where to begin.
  /// - Returns: The events.
  /// - Throws: ``TellerError`` when the notification stream is not there or not reached in time; `CancellationError`.
  public func events(since start: EventStart) async throws -> JobEvents {
    let reader = EventReader(core, since: start)
    let events = JobEvents(watch: EventWatch(reader))
    try await within(core.timeouts.connect, orThrow: reader.obstacle.error) { try await reader.ready.value }
    return events
  }
}
