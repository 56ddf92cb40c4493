/// What plans tell in the notification stream, beside the outcomes of their steps. The outcome of a plan is told like a
/// job's, with the kind `plan`.
package enum PlanNews {
  /// An event has got this state: `event_kept`, `event_acted`, `event_announced` or `event_dismissed`.
  package static func word(of state: EventState) -> String { "event_\(state.rawValue)" }
}

extension JobKind {
  /// The kind of an event's name: both have the same form.
  init(of event: EventName) { self.init(stringLiteral: event.name) }

  /// What a plan has in place of a kind.
  package static let plan: JobKind = "plan"
}
