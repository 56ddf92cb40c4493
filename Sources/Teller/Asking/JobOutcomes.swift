public import JobModel

/// The end of the wait for one job of ``TellerClient/outcomes(of:timeout:unknownAfter:)``.
public enum JobEnd: Hashable, Sendable {
  /// The job has ended; its record has the outcome. Of a job that this client has submitted, and whose key was taken, it is
  /// the record of the job that has the key.
  case ended(JobRecord)
  /// The coordinator has not known the job for so long as the wait allows: it was never submitted here, was rejected, or
  /// ended long ago.
  case unknown(JobID)
}

/// The ends of many jobs, each as soon as it is known. See ``TellerClient/outcomes(of:timeout:unknownAfter:)``.
///
/// For one reader. The sequence ends when every job has been told of, or with an error: ``TellerError``, or
/// `CancellationError`.
public struct JobOutcomes: AsyncSequence, Sendable {
  /// There is one end of each job, so their number is bounded.
  fileprivate let ends: AsyncThrowingStream<JobEnd, any Error>
  /// The client asks as long as somebody reads.
  fileprivate let client: TellerClient

  /// Reads on where the last iterator stopped.
  public func makeAsyncIterator() -> Iterator { Iterator(outcomes: self) }

  /// Reads the ends one by one.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let outcomes: JobOutcomes

    /// Waits for the next end.
    ///
    /// - Returns: The end of a job; nil when every job has been told of.
    /// - Throws: ``TellerError``, or `CancellationError`.
    public mutating func next() async throws -> JobEnd? {
      var ends = outcomes.ends.makeAsyncIterator()
      if let end = try await ends.next() { return end }
      // The end for a task that is cancelled, too.
      try Task.checkCancellation()
      return nil
    }
  }
}

extension TellerClient {
  /// Waits for jobs to end, and tells of each one within about a second after its end. It does not matter who has submitted
  /// them.
  ///
  ///     for try await end in client.outcomes(of: ids) {
  ///       if case .ended(let job) = end { print(job.id, job.state) }
  ///     }
  ///
  /// A job that is not known is told as such, and the wait for the others goes on. All waits of a client share one
  /// question to the coordinator at a time, about up to 1,000 jobs; of more jobs it tells later.
  ///
  /// - Parameters:
  ///   - ids: The jobs, or plans; any number. Each is told of once.
  ///   - timeout: How long to wait for all; nil: as long as a coordinator answers.
  ///   - unknownAfter: How long the coordinator may not know a job before that is told: a submission may be on its way.
  ///     Nil: for ``ClientTimeouts/unknown`` when this client has submitted the job, else for ``ClientTimeouts/request``.
  /// - Returns: The ends, in the order in which they become known. The wait ends with the sequence. It throws
  ///   ``TellerError/timedOut(waitingFor:limit:)`` after the timeout, and other errors when no coordinator or no broker
  ///   could be asked for ``ClientTimeouts/coordinator``.
  public func outcomes(
    of ids: some Sequence<JobID>, timeout: Duration? = nil, unknownAfter: Duration? = nil
  ) -> JobOutcomes {
    let (ends, told) = AsyncThrowingStream<JobEnd, any Error>.makeStream()
    OutcomeWaits(for: Set(ids), in: core.jobs, telling: told)
      .begin(timeout: timeout, patience: unknownAfter)
    return JobOutcomes(ends: ends, client: self)
  }
}
