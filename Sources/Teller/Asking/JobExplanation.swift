public import Foundation
public import JobModel
import JobTransport

/// Why a job does not run, or has not ended, and what would change that.
public struct JobExplanation: Hashable, Sendable {
  /// One reason why the job is not released, does not run, or has not ended.
  public struct Reason: Hashable, Sendable {
    /// A short, stable word.
    ///
    /// - A held job: `schedule`, `retry`, `paused`, `window`, `cap`, `order`, `after`, `handler`, `suspect`, `operation`,
    ///   `department`, `epoch`.
    /// - A released job: `queue`, `no_teller`, `claim`, `running`, `stuck`, `handler`, `paused`, `suspect`, `department`,
    ///   `operation`, `epoch`.
    /// - A job that has ended: `ended`.
    public var hold: String
    /// The reason as a sentence, for people.
    public var text: String
    /// What would lift the hold, for people.
    public var lifts: String?
    /// When the hold ends by itself, if that is known.
    public var until: Date?
    /// Some of the jobs that this job waits for.
    public var jobs: [JobID]
  }

  /// The job's id.
  public var job: JobID
  /// The job's state.
  public var state: JobState
  /// Every reason; a job may be held for several at once.
  public var reasons: [Reason]
}

extension TellerClient {
  /// Asks why a job does not run, or has not ended.
  ///
  /// - Returns: The reasons at this moment.
  /// - Throws: ``TellerError/unknownJob(_:)``; ``TellerError`` when no coordinator answers; `CancellationError`.
  public func explain(_ id: JobID) async throws -> JobExplanation {
    let document: ExplainDocument = try await ask(.explain(id))
    return JobExplanation(
      job: document.job, state: document.state,
      reasons: document.reasons.map { reason in
        JobExplanation.Reason(
          hold: reason.hold, text: reason.text, lifts: reason.lifts, until: reason.until?.date,
          jobs: reason.jobs ?? [])
      })
  }
}
