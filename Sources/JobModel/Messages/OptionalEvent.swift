/// The events of the notification stream that the settings may leave out (`notify:`). Outcomes, and what becomes of the
/// events of plans, are always told.
public enum OptionalEvent: String, Hashable, Sendable, CaseIterable {
  /// An attempt of a job has failed, or was cut short, and the job is tried again.
  case attemptFailed = "attempt_failed"
  /// An optional step of a plan has failed, or was cancelled, and the plan goes on without it.
  case passedOver = "passed_over"
  /// A step of a plan has failed with the code of its re-entry, and earlier steps run again.
  case wentBack = "went_back"
  /// A department was paused.
  case paused
  /// A department goes on.
  case resumed
  /// A key can be used again.
  case keyFreed = "key_freed"
  /// A submission was refused, and nobody was there to be told: it was parked.
  case parked
  /// A rule could not make its job.
  case ruleFailed = "rule_failed"

  /// Those that are told unless the settings say otherwise. A key that is freed is one more row for each job with a key.
  public static let usual: Set<OptionalEvent> = Set(allCases).subtracting([.keyFreed])
  /// Those that are about a department: its settings may say otherwise.
  public static let ofDepartments: Set<OptionalEvent> = [.attemptFailed, .passedOver, .wentBack, .paused, .resumed]
}

/// Which optional events are recorded.
package struct NotifySettings: Hashable, Sendable {
  package var general: Set<OptionalEvent>
  /// Of departments that say it themselves.
  package var departments: [Department: Set<OptionalEvent>]

  package init(
    _ general: Set<OptionalEvent> = OptionalEvent.usual, departments: [Department: Set<OptionalEvent>] = [:]
  ) {
    (self.general, self.departments) = (general, departments)
  }

  /// Whether an event is recorded; `department`: nil if it is about none.
  package func tells(_ event: OptionalEvent, in department: Department? = nil) -> Bool {
    guard let own = department.flatMap({ departments[$0] }), OptionalEvent.ofDepartments.contains(event) else {
      return general.contains(event)
    }
    return own.contains(event)
  }
}
