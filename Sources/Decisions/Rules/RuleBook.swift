package import JobModel

/// The rules of a coordinator, by what happened: of most notifications no rule makes anything, and then little is looked at.
/// Pure.
package struct RuleBook: Sendable {
  /// Those that name events, by the event.
  private let named: [String: [Rule]]
  /// Those that are about all events.
  private let others: [Rule]

  package init(_ rules: [Rule]) {
    var named: [String: [Rule]] = [:]
    for rule in rules { for event in rule.on.events { named[event, default: []].append(rule) } }
    self.named = named
    others = rules.filter(\.on.events.isEmpty)
  }

  package var isEmpty: Bool { named.isEmpty && others.isEmpty }

  /// The rules that make a job of a notification, in the order of their names. Of what rules could not do, none does.
  package func rules(for notification: Notification) -> [Rule] {
    if notification.event == OptionalEvent.ruleFailed.rawValue { return [] }
    let candidates = (named[notification.event] ?? []) + others
    return candidates.filter { $0.on.passes(notification) }.sorted { $0.name < $1.name }
  }
}
