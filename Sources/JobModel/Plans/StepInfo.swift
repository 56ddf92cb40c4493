/// The place of a job in a plan, as its handler sees it.
public struct StepInfo: Hashable, Sendable {
  /// The id of the plan's run.
  public var plan: JobID
  /// The name of the step, or of the event.
  public var name: String
  /// How often the step has been begun with this job: 1, and one more each time that the plan has gone back over it. 0: the
  /// job acts on an event.
  public var round: Int

  /// A place, for a test that calls a handler.
  public init(plan: JobID = JobID(), name: String, round: Int = 1) {
    (self.plan, self.name, self.round) = (plan, name, round)
  }

  /// Whether the job acts on an event.
  public var isEvent: Bool { round == 0 }
}

extension Job {
  /// Nil: the job is of no plan.
  package var stepInfo: StepInfo? {
    guard let plan, let step else { return nil }
    return StepInfo(plan: plan, name: step, round: round ?? 1)
  }
}
