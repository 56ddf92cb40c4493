package import JobModel

/// The settings of a department in `teller.yaml`.
package struct DepartmentSettings: Sendable, Hashable {
  /// Whether its jobs run one after another, by rank.
  package var isOrdered: Bool
  /// How many of its jobs may be released and unfinished; nil: the default. Not for an ordered department: there it is
  /// 1.
  package var window: Int?
  /// How many of its jobs may run at once in all workers together; nil: as many as there are tellers. Not for an
  /// ordered department: there it is 1.
  package var cap: Int?
  /// Which optional events of it are recorded; nil: those of the coordinator.
  package var notify: Set<OptionalEvent>?

  /// The given settings, or the defaults.
  package init(
    isOrdered: Bool = false, window: Int? = nil, cap: Int? = nil, notify: Set<OptionalEvent>? = nil
  ) {
    self.notify = notify
    self.isOrdered = isOrdered
    self.window = window
    self.cap = cap
  }
}
