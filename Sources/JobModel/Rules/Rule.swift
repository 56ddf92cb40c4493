/// A rule makes a job of each notification that it is about, in the same transaction: once, whatever dies meanwhile.
///
///     Rule("alert", on: EventFilter(events: ["failed"], kinds: ["login"]),
///       submit: RuleJob("alert", payload: try RuleTemplate(json: #"{"text": "login failed: ${message}"}"#)))
///
/// The job's id is made of the notification and of the rule. Only what is recorded has a number, and can make a job: an event
/// that is only live, such as `started`, makes none. `rule_failed` makes none, either.
public struct Rule: Hashable, Sendable {
  /// The rule's name. No two rules of a coordinator have the same.
  public var name: RuleName
  /// The notifications that make a job.
  public var on: EventFilter
  /// The job that is made.
  public var submit: RuleJob

  /// A rule.
  public init(_ name: RuleName, on: EventFilter, submit: RuleJob) {
    self.name = name
    self.on = on
    self.submit = submit
  }

  /// How many rules one coordinator may have, with those of its webhooks.
  public static let limit = 100
  /// How long a chain of rules may be: the job of a rule that ends may make another rule's job, and so on. The next one
  /// would be refused.
  public static let longestChain = 8
}

/// The job that a rule makes.
public struct RuleJob: Hashable, Sendable {
  /// The job's kind.
  public var kind: JobKind
  /// The job's department; nil: the one of its kind.
  public var department: Department?
  /// The payload, made of the notification; nil: none.
  public var payload: RuleTemplate?
  /// The job's priority.
  public var priority: Priority
  /// The key of the job, made of the notification; nil: none. While the key is taken, the rule makes no job.
  public var key: RuleTemplate?
  /// For how long the key is taken; nil: as long as one that says nothing.
  public var keyWindow: KeyWindow?
  /// The job begins so long after the notification at the earliest; nil: at once.
  public var delay: Duration?
  /// How many attempts the job has; nil: as its kind says.
  public var attempts: Int?

  /// A job.
  public init(
    _ kind: JobKind, department: Department? = nil, payload: RuleTemplate? = nil, priority: Priority = .normal,
    key: RuleTemplate? = nil, keyWindow: KeyWindow? = nil, delay: Duration? = nil, attempts: Int? = nil
  ) {
    self.kind = kind
    self.department = department
    self.payload = payload
    self.priority = priority
    self.key = key
    self.keyWindow = keyWindow
    self.delay = delay
    self.attempts = attempts
  }
}

/// The name of a rule. 1–100 letters, digits, `-` and `_`.
public struct RuleName: Hashable, Sendable, Codable, Comparable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// The rule's name.
  public let name: String

  /// A rule's name; nil when it is empty, too long, or has other characters than letters, digits, `-`, `_`.
  public init?(_ name: String) {
    guard Name.isValid(name) else { return nil }
    self.name = name
  }

  /// A name written in the source. A name that is not valid is a mistake in that source, and stops the program.
  public init(stringLiteral name: String) {
    precondition(Name.isValid(name), "\"\(name)\" is not a rule's name: 1–100 letters, digits, - and _")
    self.name = name
  }

  /// Reads a name, and refuses one that is not valid.
  public init(from decoder: any Decoder) throws { name = try Name.decode(from: decoder) }
  /// Writes the name.
  public func encode(to encoder: any Encoder) throws { try name.encode(to: encoder) }
  /// The name.
  public var description: String { name }
  /// By name.
  public static func < (left: RuleName, right: RuleName) -> Bool { left.name < right.name }
}
