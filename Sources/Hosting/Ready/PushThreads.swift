import JobModel

/// The two threads on which a receiver calls the code of its user: one reads the sequence, the other hands over.
///
/// Code that blocks its thread takes none of the program's, nor that of the service: so the receiver still ends in time,
/// and names the pushes that it holds. Reading and handing over have a thread each, because a sequence may block until
/// the next push comes.
///
/// The receiver's own tasks have no such preference. A task that prefers a thread takes the receiver's actor with it to
/// that thread, and the whole receiver would wait there. So these calls leave the actor first.
struct PushThreads: Sendable {
  private let reading = ServiceThread()
  private let handing = ServiceThread()

  func next<Iterator: AsyncIteratorProtocol>(
    of iterator: inout Iterator
  ) async throws -> Push? where Iterator.Element == Push {
    try await withTaskExecutorPreference(reading) { try await iterator.next(isolation: nil) }
  }

  func hand(_ push: Push, to sink: @Sendable (Push) async throws -> Void) async throws {
    try await withTaskExecutorPreference(handing) { try await sink(push) }
  }

  func close() {
    reading.close()
    handing.close()
  }
}
