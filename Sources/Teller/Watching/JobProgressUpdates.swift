import JobModel
import Synchronization

/// How far a job has come: the last word of its handler, then each that follows. See ``TellerClient/progress(of:)``.
///
/// For one reader. A slow reader misses words, and gets the latest one. The sequence ends when the job has ended, or with
/// an error: ``TellerError``, or `CancellationError`.
public struct JobProgressUpdates: AsyncSequence, Sendable {
  /// How far the job has come.
  public typealias Element = RunProgress

  fileprivate let updates: AsyncThrowingStream<RunProgress, any Error>

  /// Reads on where the last iterator stopped.
  public func makeAsyncIterator() -> Iterator { Iterator(updates: updates) }

  /// Reads the words one by one.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let updates: AsyncThrowingStream<RunProgress, any Error>

    /// Waits for the next word.
    ///
    /// - Returns: How far the job has come; nil when the job has ended.
    /// - Throws: ``TellerError``, or `CancellationError`.
    public mutating func next() async throws -> RunProgress? {
      var updates = updates.makeAsyncIterator()
      if let update = try await updates.next() { return update }
      // The end for a task that is cancelled, too.
      try Task.checkCancellation()
      return nil
    }
  }
}

extension TellerClient {
  /// Follows how far a job has come, until it has ended. It does not matter who has submitted it.
  ///
  ///     for try await progress in client.progress(of: id) {
  ///       print("\(Int(progress.fraction * 100)) %", progress.text ?? "")
  ///     }
  ///
  /// What a handler says is relayed at most once a second, and is not recorded: a word may be missing, and each attempt
  /// begins anew. The outcome is the only thing to rely on.
  ///
  /// - Parameter id: The job.
  /// - Returns: The words, the latest one first. The sequence throws ``TellerError/unknownJob(_:)``,
  ///   ``TellerError/brokerRefused(reason:)`` when the client's user may not watch, and other errors when no coordinator or
  ///   no broker could be asked for ``ClientTimeouts/coordinator``.
  public func progress(of id: JobID) -> JobProgressUpdates {
    followProgress { id }
  }

  /// `job`: waits until the job is known.
  func followProgress(of job: @escaping @Sendable () async throws -> JobID) -> JobProgressUpdates {
    let (updates, told) = AsyncThrowingStream<RunProgress, any Error>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let following = Task {
      do {
        try await tell(told, of: try await job())
        told.finish()
      } catch {
        told.finish(throwing: error)
      }
    }
    told.onTermination = { _ in following.cancel() }
    return JobProgressUpdates(updates: updates)
  }

  private func tell(_ told: AsyncThrowingStream<RunProgress, any Error>.Continuation, of job: JobID) async throws {
    let latest = LatestProgress()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        let reader = ProgressReader(client: self, jobs: [job]) { _, progress in
          if latest.isNews(progress) { told.yield(progress) }
        }
        try await reader.run()
      }
      group.addTask {
        for try await case .unknown(let job) in self.outcomes(of: [job], unknownAfter: .zero) {
          throw TellerError.unknownJob(job)
        }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Follows how far jobs have come, at most ``ProgressReader/mostJobs`` of them, until the task is cancelled.
  ///
  /// - Throws: ``TellerError`` when waiting does not help; `CancellationError`.
  package func followProgress(
    of jobs: [JobID], _ told: @escaping @Sendable (JobID, RunProgress) -> Void
  ) async throws {
    try await ProgressReader(client: self, jobs: Array(jobs.prefix(ProgressReader.mostJobs)), told: told).run()
  }
}

extension JobHandle {
  /// How far the job has come, until it has ended: see ``TellerClient/progress(of:)``. Of a duplicate it is the progress of
  /// the first job with the key.
  public var progress: JobProgressUpdates {
    client.followProgress { [self] in
      try await accepted()
      return duplicateOf ?? id
    }
  }
}

/// The last word that was told. The answer to a question may come behind a later word.
private final class LatestProgress: Sendable {
  private let last = Mutex<RunProgress?>(nil)

  func isNews(_ progress: RunProgress) -> Bool {
    last.withLock { last in
      if let last, last == progress { return false }
      if let known = last?.heardAt, let heard = progress.heardAt, heard < known { return false }
      last = progress
      return true
    }
  }
}
