/// Whether a process is ready, and by which checks: what `/ready` answers.
public struct HealthReport: Hashable, Sendable {
  /// One thing that has to be so.
  public struct Check: Hashable, Sendable {
    /// Short and stable: programs may look for it.
    public var name: String
    /// Whether it is so now.
    public var isOK: Bool
    /// For people: what was found. Holds no secret, and may change from version to version.
    public var detail: String
    /// How long ago it was last seen to be so; nil: never, or it is looked at when it is asked for.
    public var age: Duration?

    /// A check with what was found.
    public init(_ name: String, isOK: Bool, detail: String, age: Duration? = nil) {
      self.name = name
      self.isOK = isOK
      self.detail = detail
      self.age = age
    }
  }

  /// In the order in which they are read: the first that is not ok is most likely the reason for those behind it.
  public var checks: [Check]

  /// A report of these checks.
  public init(_ checks: [Check]) {
    self.checks = checks
  }

  /// Everything is as it should be. Nothing was looked at: not ready.
  public var isReady: Bool { !checks.isEmpty && checks.allSatisfy(\.isOK) }
}
