package import JobModel

/// What is done with an event that has come, or that somebody has accepted. Pure.
package enum EventDecision: Hashable, Sendable {
  /// The plan does not run: the next run has the event as a step.
  case keep
  /// The event gets its job: while the plan runs, as a step of the event's rank.
  case act
  /// The plan is open: the event waits until somebody accepts it.
  case announce

  /// - Parameters:
  ///   - whenOpen: What the plan says about the event.
  ///   - phase: Where the plan stands.
  ///   - isPaused: Whether the plan's department is paused: nobody would see an announcement, and the event is acted on as
  ///     soon as the department goes on.
  ///   - isAccepted: Whether somebody has accepted the event.
  package init(_ whenOpen: PlanEvent.WhenOpen, in phase: PlanPhase, isPaused: Bool, isAccepted: Bool) {
    self =
      switch phase {
      case .open: whenOpen == .announce && !isPaused && !isAccepted ? .announce : .act
      case .running: .act
      default: .keep
      }
  }
}
