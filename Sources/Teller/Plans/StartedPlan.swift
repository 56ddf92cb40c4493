package import JobModel

/// A plan that somebody has started, as `--json` prints it.
package struct StartedPlan: Encodable, Sendable {
  package var plan: PlanName
  /// The run that counts.
  package var run: JobID
  /// Whether the run is new: false when the plan was under way or open before.
  package var started: Bool
  package var state: JobState?
  package var error: JobFailure?
  /// Of a plan that was under way or open: whether it was started with the same payload. Nil: it is not known.
  package var content: String?
  /// The run that the new one follows; nil: it is the first.
  package var replaces: JobID?

  package init(plan: PlanName, run: JobID, started: Bool, _ decision: SubmissionDecision? = nil) {
    (self.plan, self.run, self.started) = (plan, run, started)
    content = decision?.isSameContent.map { $0 ? "same" : "different" }
    replaces = decision?.answer == .replaced ? decision?.other : nil
  }
}
