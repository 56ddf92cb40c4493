import Foundation
public import JobModel

/// A handle of a submitted job: it waits for the job's acceptance, outcome or result.
///
/// A handle keeps its client alive. To drop the handle changes nothing about the job.
///
/// Every wait ends: with the answer, with the `timeout` if one is given, or with ``TellerError`` when no coordinator or no
/// broker could be asked for ``ClientTimeouts/coordinator``. After such an error the same wait can begin again.
public struct JobHandle<Output: Decodable & Sendable>: Sendable {
  /// The job's id.
  public var id: JobID { job.id }

  let job: TrackedJob
  let client: TellerClient
  /// The submission was not sent, as its id was used with other content.
  let isConflict: Bool

  init(job: TrackedJob, client: TellerClient, isConflict: Bool = false) {
    (self.job, self.client, self.isConflict) = (job, client, isConflict)
  }

  /// What the coordinator has decided about the submission: that it is new, or a duplicate, and of which job; and whether
  /// anything will run. Nil before the acceptance, and for a rejected job.
  ///
  /// If the reply was lost, the client has asked about the job instead. Then state and content may be unknown.
  public var decision: SubmissionDecision? { isConflict ? nil : job.knowledge.decided }

  /// Waits until the coordinator has recorded the job.
  ///
  /// - Parameter timeout: How long to wait; nil: as long as a coordinator answers.
  /// - Throws: ``JobError/rejected(_:_:)``; ``TellerError``; `CancellationError`.
  public func accepted(timeout: Duration? = nil) async throws {
    if isConflict { throw JobError.rejected(id, .idConflict(id)) }
    _ = try await job.wait(for: .acceptance, timeout: timeout, what: "job \(id) to be accepted")
  }

  /// Waits until the job has ended: it succeeded, failed or was cancelled.
  ///
  /// - Parameter timeout: How long to wait; nil: as long as a coordinator answers.
  /// - Returns: The outcome. It stays the same for as long as the ledger keeps the job.
  /// - Throws: ``JobError/rejected(_:_:)``; ``TellerError``; `CancellationError`.
  public func outcome(timeout: Duration? = nil) async throws -> Outcome {
    if isConflict { throw JobError.rejected(id, .idConflict(id)) }
    if timeout == nil, let waiting = JobInfo.current { client.core.warn(ofWaiting: waiting, for: id) }
    return try await job.outcome(timeout: timeout, what: "job \(id) to end")
  }

  /// Waits for the job's result. A handler waits by ``JobContext/value(of:through:within:)`` instead: this one keeps its
  /// teller meanwhile, and tellers that wait for each other's jobs wait for ever.
  ///
  /// - Parameter timeout: How long to wait; nil: as long as a coordinator answers.
  /// - Returns: The handler's output.
  /// - Throws: ``JobError`` when the job was rejected, failed, or was cancelled; ``TellerError``, for example
  ///   ``TellerError/unexpectedResult(job:reason:)`` when the result cannot be read as `Output`; `CancellationError`.
  public func value(timeout: Duration? = nil) async throws -> Output {
    switch try await outcome(timeout: timeout) {
    case .failed(let failure): throw JobError.failed(id, failure)
    case .cancelled(let failure): throw JobError.cancelled(id, failure)
    case .succeeded(let result, _): return try decode(result)
    }
  }

  /// The first job with the same key, once this submission is accepted as a duplicate of that job. The duplicate itself is
  /// not recorded, and its outcome is the outcome of the first job. Nil before the acceptance, and for any other job.
  public var duplicateOf: JobID? { job.knowledge.duplicateOf }

  private func decode(_ result: [UInt8]) throws(TellerError) -> Output {
    do {
      // A handler in another language may have no result: no bytes at all.
      return try JSONText.decode(Output.self, from: result.isEmpty ? Array("null".utf8) : result)
    } catch {
      throw .unexpectedResult(job: id, reason: String(describing: error))
    }
  }
}

extension TrackedJob {
  func wait(for stage: Stage, timeout: Duration?, what: String) async throws -> Outcome? {
    guard let timeout else { return try await wait(for: stage) }
    let error = { @Sendable in TellerError.timedOut(waitingFor: what, limit: timeout) }
    return try await within(timeout, orThrow: error) { try await self.wait(for: stage, deadline: .now + timeout) }
  }

  func outcome(timeout: Duration?, what: String) async throws -> Outcome {
    // A wait for the outcome ends with an outcome.
    guard let outcome = try await wait(for: .outcome, timeout: timeout, what: what) else {
      throw TellerError.notUnderstood(reason: "job \(id) ended without an outcome")
    }
    return outcome
  }
}
