/// One step of a plan: a job that knows only itself.
package struct PlanStep: Hashable, Sendable {
  @ExactText package var name: String
  package var kind: JobKind
  /// Lower goes first. Steps of one rank run beside each other.
  package var rank: Int
  /// A JSON text, as its submitter wrote it: it is carried, and never looked into.
  package var payload: [UInt8]?
  /// Whether the plan fails when the step does.
  package var isRequired: Bool
  package var attempts: Int?
  /// How long one attempt may run.
  package var timeout: Duration?
  /// How long after its acceptance the step must have begun to run.
  package var startWithin: Duration?
  package var reentry: Reentry?

  package init(
    name: String, kind: JobKind, rank: Int, payload: [UInt8]? = nil, isRequired: Bool = true, attempts: Int? = nil,
    timeout: Duration? = nil, startWithin: Duration? = nil, reentry: Reentry? = nil
  ) {
    self.name = name
    self.kind = kind
    self.rank = rank
    self.payload = payload
    self.isRequired = isRequired
    self.attempts = attempts
    self.timeout = timeout
    self.startWithin = startWithin
    self.reentry = reentry
  }

  /// The longest name of a step, in bytes.
  package static let longestName = 200
}

/// Has a plan go back to an earlier step, when a step fails with a certain code.
///
///     user information (2) ─▶ login (4): session_expired ─▶ user information (2) ─▶ … ─▶ login (4) ─▶ app version (5)
///
/// The earlier step runs again, every step whose rank lies between, and then the step itself.
public struct Reentry: Hashable, Sendable {
  /// The failure's code, for example `session_expired`.
  @ExactText public var code: String
  /// The name of the earlier step.
  @ExactText public var from: String
  /// How often one run of the plan goes back for that; then the failure counts as any other.
  public var atMost: Int

  /// What ``atMost`` may be.
  public static let limits = 1...100

  /// Goes back to the step `from`, at most so often, when a step fails with the code.
  public init(on code: String, from: String, atMost: Int = 1) {
    self.code = code
    self.from = from
    self.atMost = atMost
  }
}

extension Reentry: Codable {
  enum CodingKeys: String, CodingKey {
    case code = "on"
    case from
    case atMost = "at_most"
  }
}
