import Foundation
public import JobModel

/// A job that was submitted: what to hold on to in order to hear of it.
///
/// A handle keeps its client alive. Dropping it forgets what is known of the job, and does nothing to the job itself.
///
/// Every wait ends: with the answer, with the `timeout` if one is given, or when for ``ClientTimeouts/coordinator`` no
/// coordinator, or no broker, could be asked. After any of these errors the same wait can be begun again.
public struct JobHandle<Output: Decodable & Sendable>: Sendable {
  /// The job's id.
  public var id: JobID { job.id }

  let job: TrackedJob
  let client: TellerClient

  /// Waits until the coordinator has recorded the job.
  ///
  /// - Parameter timeout: How long to wait; nil: as long as a coordinator answers.
  /// - Throws: `JobFailure` when it was rejected; ``TellerError`` when nobody can tell; `CancellationError`.
  public func accepted(timeout: Duration? = nil) async throws {
    _ = try await job.wait(for: .acceptance, timeout: timeout, what: "job \(id) to be accepted")
  }

  /// Waits until the job has ended, however it ended.
  ///
  /// - Parameter timeout: How long to wait; nil: as long as a coordinator answers.
  /// - Returns: How it ended. The same as long as the ledger keeps the job.
  /// - Throws: `JobFailure` when it was rejected, so that it never was a job; ``TellerError`` when nobody can tell;
  ///   `CancellationError`.
  public func outcome(timeout: Duration? = nil) async throws -> Outcome {
    try await job.outcome(timeout: timeout, what: "job \(id) to end")
  }

  /// Waits for the job's result.
  ///
  /// - Parameter timeout: How long to wait; nil: as long as a coordinator answers.
  /// - Returns: What the handler returned.
  /// - Throws: `JobFailure` when the job was rejected, failed, or was cancelled; ``TellerError`` when nobody can tell, or
  ///   the result is not what is expected; `CancellationError`.
  public func value(timeout: Duration? = nil) async throws -> Output {
    switch try await outcome(timeout: timeout) {
    case .failed(let failure), .cancelled(let failure): throw failure
    case .succeeded(let result, _): return try decode(result)
    }
  }

  /// The job with the same key that was there before this one, once it is accepted: this one was not recorded, and its
  /// outcome is that one's. Nil for any other job.
  public var duplicateOf: JobID? { job.knowledge.duplicateOf }

  /// What is known of the job at this moment, without waiting: nil is what is not known yet.
  package var known: (acceptance: Result<Void, JobFailure>?, outcome: Outcome?) {
    let knowledge = job.knowledge
    return (knowledge.acceptance, knowledge.outcome)
  }

  private func decode(_ result: [UInt8]) throws(TellerError) -> Output {
    do {
      // No bytes at all: the result of a handler in another language that has nothing to say.
      return try JSONDecoder().decode(Output.self, from: result.isEmpty ? Data("null".utf8) : Data(result))
    } catch {
      throw .unexpectedResult(job: id, reason: String(describing: error))
    }
  }
}

extension TrackedJob {
  func wait(for stage: Stage, timeout: Duration?, what: String) async throws -> Outcome? {
    guard let timeout else { return try await wait(for: stage) }
    let error = { @Sendable in TellerError.timedOut(waitingFor: what, limit: timeout) }
    return try await within(timeout, orThrow: error) { try await self.wait(for: stage) }
  }

  func outcome(timeout: Duration?, what: String) async throws -> Outcome {
    // Whoever waits for the outcome is answered with it.
    guard let outcome = try await wait(for: .outcome, timeout: timeout, what: what) else {
      throw TellerError.notUnderstood(reason: "job \(id) ended without an outcome")
    }
    return outcome
  }
}
