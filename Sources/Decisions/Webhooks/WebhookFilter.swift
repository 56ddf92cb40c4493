package import JobModel

/// Which notifications a webhook delivers: those that each list names; an empty list names all.
package struct WebhookFilter: Hashable, Sendable {
  /// As a notification's `event` has them, such as `failed`.
  package var events: [String]
  /// Where the jobs are.
  package var departments: [Department]
  /// What the jobs are.
  package var kinds: [JobKind]

  /// The given lists; all notifications.
  package init(events: [String] = [], departments: [Department] = [], kinds: [JobKind] = []) {
    (self.events, self.departments, self.kinds) = (events, departments, kinds)
  }

  /// Whether a notification is delivered. One about a webhook's own job never is: its delivery would make the next one.
  package func matches(_ notification: Notification) -> Bool {
    notification.kind != WebhookSettings.kind
      && (events.isEmpty || events.contains(notification.event))
      && (departments.isEmpty || departments.contains(notification.department))
      && (kinds.isEmpty || kinds.contains(notification.kind))
  }
}
