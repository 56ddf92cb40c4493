import struct Foundation.Data
import struct Foundation.Date
import class Foundation.JSONDecoder
import class Foundation.JSONEncoder
import JobModel
import JobTransport
import Ledger

/// What the references of a rule's template stand for: a notification, and the job that it is about. The job's payload and
/// result are only read if the template names them.
struct RuleSource {
  private let notification: Notification
  private let place: NotificationPosition
  private let payload: JSONValue
  private let result: JSONValue
  private static let contentType = "application/json"

  /// - Throws: `JobFailure` when what the template is made of is too large.
  init(
    _ notification: Notification, _ place: NotificationPosition, for rule: Rule, _ ledger: LedgerTransaction
  ) throws {
    (self.notification, self.place) = (notification, place)
    let job = try rule.namesJob ? notification.job.flatMap { try ledger.job($0) } : nil
    let content = try rule.names(.payload) ? job.flatMap { try ledger.content(of: $0.number) } : nil
    let payload = content?.payload ?? []
    let result: [UInt8] = if rule.names(.result), case .succeeded(let bytes, _)? = job?.outcome { bytes } else { [] }
    // A template may name it often.
    let size = payload.count * rule.count(of: .payload) + result.count * rule.count(of: .result)
    guard size <= RuleFiring.payloadLimit else { throw JobFailure.sourceTooLarge(size, rule.name) }
    (self.payload, self.result) = (RuleSource.json(payload), RuleSource.json(result))
  }

  /// What is no JSON is null.
  private static func json(_ bytes: [UInt8]) -> JSONValue {
    if bytes.isEmpty { return .null }
    return (try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))) ?? .null
  }

  /// The job that a rule makes.
  ///
  /// - Throws: `JobFailure` when its payload, or its key, is none.
  func submission(of rule: Rule, _ id: JobID) throws -> Submission {
    let job = rule.submit
    let payload = job.payload.map { Array($0.filled(meaning).json.utf8) } ?? []
    guard payload.count <= RuleFiring.payloadLimit else { throw JobFailure.sourceTooLarge(payload.count, rule.name) }
    return Submission(
      id: id, kind: job.kind, department: job.department, priority: job.priority, payload: payload,
      contentType: job.payload == nil ? nil : RuleSource.contentType, submittedAt: notification.at,
      maxAttempts: job.attempts, runAt: job.delay.map { .within($0) }, key: try key(of: rule))
  }

  /// A key that comes out empty is none.
  private func key(of rule: Rule) throws -> SubmissionKey? {
    guard let text = rule.submit.key?.filledText(meaning), !text.isEmpty else { return nil }
    guard SubmissionKey.isValid(text) else { throw JobFailure.badKey(text, rule.name) }
    return SubmissionKey(text: text, window: rule.submit.keyWindow ?? .lasting(SubmissionKey.defaultWindow))
  }

  private func meaning(of reference: RuleReference) -> JSONValue {
    switch reference {
    case .payload(let path): payload.member(at: path)
    case .result(let path): result.member(at: path)
    case .member(let member): value(of: member)
    }
  }

  private func value(of member: RuleReference.Member) -> JSONValue {
    switch member {
    case .notification: whole
    case .event: .string(notification.event)
    case .place: .string("\(place.epoch)/\(place.seq)")
    case .at: .string(RuleSource.text(notification.at))
    case .job: .text(notification.job?.description)
    case .kind: .text(notification.kind?.name)
    case .department: .text(notification.department?.name)
    case .attempt: notification.attempt.map { .int(Int64($0)) } ?? .null
    case .key: .text(notification.key)
    case .plan: .text(notification.plan?.name)
    case .name: .text(notification.name)
    case .error: .text(notification.error?.code)
    case .message: .text(notification.error?.message)
    }
  }

  private static func text(_ time: Timestamp) -> String {
    Date(timeIntervalSince1970: Double(time.milliseconds) / 1_000).formatted(
      Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  /// As the stream has it, with its epoch.
  private var whole: JSONValue {
    guard let bytes = try? JSONEncoder().encode(notification),
      case .object(var members)? = try? JSONDecoder().decode(JSONValue.self, from: bytes)
    else { return .null }
    members["epoch"] = .int(Int64(place.epoch))
    return .object(members)
  }
}

/// Which parts of the job a rule's templates name.
private enum RuleSourcePart { case payload, result }

extension Rule {
  private var templates: [RuleTemplate] { [submit.payload, submit.key].compactMap(\.self) }

  fileprivate var namesJob: Bool { names(.payload) || names(.result) }
  fileprivate func names(_ part: RuleSourcePart) -> Bool { count(of: part) > 0 }

  /// How often.
  fileprivate func count(of part: RuleSourcePart) -> Int {
    templates.reduce(0) { count, template in
      count
        + template.references.count {
          switch ($0, part) {
          case (.payload, .payload), (.result, .result): true
          default: false
          }
        }
    }
  }
}

extension JSONValue {
  fileprivate static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}

extension JobFailure {
  fileprivate static func sourceTooLarge(_ size: Int, _ rule: RuleName) -> JobFailure {
    JobFailure(
      code: Code.bodyTooLarge,
      message:
        "the payload of rule \"\(rule)\" would be made of \(size) bytes, and may have \(RuleFiring.payloadLimit): "
        + "name a member, such as ${payload.id}")
  }

  fileprivate static func badKey(_ key: String, _ rule: RuleName) -> JobFailure {
    JobFailure(
      code: Code.badKey,
      message: "rule \"\(rule)\" makes the key \(Excerpt.quoted(key)), which is none: \(SubmissionKey.form)")
  }
}
