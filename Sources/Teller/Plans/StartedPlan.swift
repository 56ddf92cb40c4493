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

  package init(plan: PlanName, run: JobID, started: Bool) { (self.plan, self.run, self.started) = (plan, run, started) }
}
