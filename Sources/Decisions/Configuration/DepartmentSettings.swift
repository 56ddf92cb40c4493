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
  /// How many jobs a worker takes beyond its tellers, so that the next one begins at once. 0 for an ordered department, and
  /// for one with a cap.
  package var ahead: Int
  /// Which optional events of it are recorded; nil: those of the coordinator.
  package var notify: Set<OptionalEvent>?

  /// The most jobs that a worker may take beyond its tellers: each of them can keep an urgent job waiting.
  package static let mostAhead = 100

  /// The given settings, or the defaults.
  package init(
    isOrdered: Bool = false, window: Int? = nil, cap: Int? = nil, ahead: Int = 0, notify: Set<OptionalEvent>? = nil
  ) {
    self.ahead = ahead
    self.notify = notify
    self.isOrdered = isOrdered
    self.window = window
    self.cap = cap
  }
}
