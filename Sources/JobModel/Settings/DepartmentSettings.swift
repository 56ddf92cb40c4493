/// The settings of a department in `teller.yaml`.
public struct DepartmentSettings: Sendable, Hashable {
  /// Whether its jobs run one after another, by rank.
  public var isOrdered: Bool
  /// How many of its jobs may be released and unfinished; nil: the default. Not for an ordered department: there it is
  /// 1.
  public var window: Int?
  /// How many of its jobs may run at once in all workers together; nil: as many as there are tellers. Not for an
  /// ordered department: there it is 1.
  public var cap: Int?

  /// The given settings, or the defaults.
  public init(isOrdered: Bool = false, window: Int? = nil, cap: Int? = nil) {
    self.isOrdered = isOrdered
    self.window = window
    self.cap = cap
  }
}
