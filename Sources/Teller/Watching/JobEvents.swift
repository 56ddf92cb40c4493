import JobModel

/// The events of all jobs. Recorded events come exactly once and in their order, however often the connection is lost.
/// Live events come in between, and may be missing.
///
///     for try await event in try await client.events(since: .start) {
///       print(event.job, event.change.name)
///     }
///
/// For one reader. They keep their client alive. The sequence ends with an error: ``TellerError``, or `CancellationError`.
/// A slow reader gets recorded events late, and misses live ones.
public struct JobEvents: AsyncSequence, Sendable {
  /// An event of a job.
  public typealias Element = JobEvent

  let watch: EventWatch
  let filter: EventFilter

  /// Reads on where the last iterator stopped.
  public func makeAsyncIterator() -> Iterator { Iterator(watch: watch, filter: filter) }

  /// Reads the events one by one.
  public struct Iterator: AsyncIteratorProtocol {
    /// The watch ends with its last reference.
    let watch: EventWatch
    let filter: EventFilter

    /// Waits for the next event that passes the filter.
    ///
    /// - Returns: The event; never nil.
    /// - Throws: The end of the events: ``TellerError``, or `CancellationError`.
    public mutating func next() async throws -> JobEvent? {
      while true {
        let event = try await watch.buffer.next()
        if filter.passes(event) { return event }
      }
    }
  }
}

/// Reads the notification stream for one sequence, until that is gone.
final class EventWatch: Sendable {
  let buffer: EventBuffer
  /// A client that nobody holds disconnects.
  private let client: TellerClient
  private let reading: Task<Void, Never>

  init(_ reader: EventReader, of client: TellerClient) {
    self.client = client
    buffer = reader.buffer
    reading = Task { await reader.run() }
  }

  deinit { reading.cancel() }
}

extension TellerClient {
  /// Watches all jobs, from the moment when this returns, or from an earlier one.
  ///
  /// - Parameters:
  ///   - start: Where to begin.
  ///   - filter: Which events; the others are passed over. What is live, but for ``JobEvent/Change/started``, is told only
  ///     where the filter names it: it would be most of what comes.
  /// - Returns: The events.
  /// - Throws: ``TellerError`` when the notification stream does not exist, or is not reached within
  ///   ``ClientTimeouts/connect``; `CancellationError`.
  public func events(since start: EventStart, matching filter: EventFilter = EventFilter()) async throws -> JobEvents {
    JobEvents(watch: try await watch(since: start, matching: filter), filter: filter)
  }

  /// Begins to read the stream.
  func watch(since start: EventStart, matching filter: EventFilter) async throws -> EventWatch {
    let reader = EventReader(core, since: start, liveKeys: filter.liveKeys)
    let watch = EventWatch(reader, of: self)
    try await within(core.timeouts.connect, orThrow: reader.obstacle.error) { try await reader.ready.value }
    return watch
  }
}
