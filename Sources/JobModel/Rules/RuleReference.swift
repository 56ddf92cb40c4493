/// What a template of a rule may name of a notification: `${message}`, `${payload.order}`.
public enum RuleReference: Hashable, Sendable {
  /// A member of the notification.
  case member(Member)
  /// The payload of the job that the notification is about, or the member of it at that path.
  case payload([String])
  /// The result of that job, likewise.
  case result([String])

  /// The members of a notification.
  public enum Member: String, Hashable, Sendable, CaseIterable {
    /// The whole notification, as the stream has it, with its epoch.
    case notification
    /// What happened, such as `failed`.
    case event
    /// The place of the notification, such as `1/42`.
    case place
    /// When it happened, as in `2026-11-26T09:00:00.000Z`.
    case at
    /// The id of the job.
    case job
    /// The kind of the job.
    case kind
    /// The department.
    case department
    /// The attempt.
    case attempt
    /// The key of the job.
    case key
    /// The plan.
    case plan
    /// The step, or the event of a plan.
    case name
    /// The code of the error.
    case error
    /// The error in words.
    case message
  }

  /// How long a path may be.
  static let longestPath = 16

  /// The reference that is written so, without `${` and `}`; nil: there is no such reference.
  init?(_ text: String) {
    if let member = Member(rawValue: text) {
      self = .member(member)
      return
    }
    // Of bytes: a mark behind a point would be one character with it.
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard parts.count <= RuleReference.longestPath, !parts.contains("") else { return nil }
    switch parts.first {
    case "payload": self = .payload(Array(parts.dropFirst()))
    case "result": self = .result(Array(parts.dropFirst()))
    default: return nil
    }
  }

  /// As it is written in a template.
  package var written: String {
    switch self {
    case .member(let member): "${\(member.rawValue)}"
    case .payload(let path): "${\((["payload"] + path).joined(separator: "."))}"
    case .result(let path): "${\((["result"] + path).joined(separator: "."))}"
    }
  }

  /// Whether both are written so: see ``ExactText``.
  public static func == (left: RuleReference, right: RuleReference) -> Bool { left.written.isExactly(right.written) }
  /// Hashes what is written.
  public func hash(into hasher: inout Hasher) { hasher.combine(ExactText(written)) }

  /// What there is, for people.
  static let known =
    (Member.allCases.map(\.rawValue) + ["payload", "payload.MEMBER", "result", "result.MEMBER"]).joined(separator: ", ")
}
