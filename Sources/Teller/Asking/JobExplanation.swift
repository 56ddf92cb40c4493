public import Foundation
public import JobModel
import JobTransport

/// Why a job is where it is, and what would change that.
public struct JobExplanation: Hashable, Sendable {
  /// One reason why it is not released, does not run, or has not ended.
  public struct Reason: Hashable, Sendable {
    /// A short, stable word: `schedule`, `retry`, `paused`, `window`, `cap`, `order`, `after`, `handler`, `suspect`,
    /// `operation`, `department`, `epoch`; of a job that is released `queue`, `no_teller`, `claim`, `running`, `stuck`,
    /// or also `handler`, `paused`, `suspect`, `department`, `operation`, `epoch`; of one that has ended `ended`.
    public var hold: String
    /// What it waits for, for people.
    public var text: String
    /// What would lift it, for people.
    public var lifts: String?
    /// When it is lifted by itself, if that is known.
    public var until: Date?
    /// Some of the jobs that it waits for.
    public var jobs: [JobID]
  }

  /// The job's id.
  public var job: JobID
  /// Where it stands.
  public var state: JobState
  /// Every reason there is; a job may be held for several at once.
  public var reasons: [Reason]
}

extension TellerClient {
  /// Asks why a job is where it is.
  ///
  /// - Returns: The reasons at this moment.
  /// - Throws: ``TellerError/unknownJob(_:)``; ``TellerError`` when no coordinator answers; `CancellationError`.
  public func explain(_ id: JobID) async throws -> JobExplanation {
    let document = try await explanation(of: id)
    return JobExplanation(
      job: document.job, state: document.state,
      reasons: document.reasons.map { reason in
        JobExplanation.Reason(
          hold: reason.hold, text: reason.text, lifts: reason.lifts, until: reason.until?.date,
          jobs: reason.jobs ?? [])
      })
  }
}
