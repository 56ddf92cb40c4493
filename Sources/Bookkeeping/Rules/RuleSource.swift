import JobModel
import JobTransport
import Ledger

/// What the references of a rule's template stand for: a notification, and the job that it is about. The job's payload and
/// result are only read if the template names them. What is taken out of them stays as it is written.
struct RuleSource {
  private let notification: Notification
  private let place: NotificationPosition
  private let rule: Rule
  private let payload: [UInt8]
  private let result: [UInt8]
  private static let contentType = "application/json"

  /// - Throws: `JobFailure` when what the template is made of is too large.
  init(
    _ notification: Notification, _ place: NotificationPosition, for rule: Rule, _ ledger: LedgerTransaction
  ) throws {
    (self.notification, self.place, self.rule) = (notification, place, rule)
    let job = try rule.namesJob ? notification.job.flatMap { try ledger.job($0) } : nil
    let content = try rule.names(.payload) ? job.flatMap { try ledger.content(of: $0.number) } : nil
    payload = content?.payload ?? []
    result = if rule.names(.result), case .succeeded(let bytes, _)? = job?.outcome { bytes } else { [] }
    // A template may name it often.
    let size = payload.count * rule.count(of: .payload) + result.count * rule.count(of: .result)
    guard size <= RuleFiring.payloadLimit else { throw JobFailure.sourceTooLarge(size, rule.name) }
  }

  /// The job that the rule makes.
  ///
  /// - Throws: `JobFailure` when its payload, or its key, cannot be made.
  func submission(_ id: JobID) throws -> Submission {
    let job = rule.submit
    let payload = try job.payload.map(self.payload(of:)) ?? []
    guard payload.count <= RuleFiring.payloadLimit else { throw JobFailure.sourceTooLarge(payload.count, rule.name) }
    return Submission(
      id: id, kind: job.kind, department: job.department, priority: job.priority, payload: payload,
      contentType: job.payload == nil ? nil : RuleSource.contentType, submittedAt: notification.at,
      maxAttempts: job.attempts, runAt: job.delay.map { .within($0) }, key: try key())
  }

  private func payload(of template: RuleTemplate) throws -> [UInt8] {
    let payload = try resolving { try template.filled(meaning) }
    // What was put in may lie deeper than JSON may.
    if rule.namesJob, let flaw = JSONText.flaw(of: payload) { throw JobFailure.badReference(flaw, rule.name) }
    return payload
  }

  /// A key that comes out empty is none.
  private func key() throws -> SubmissionKey? {
    guard let template = rule.submit.key else { return nil }
    let text = try resolving { try template.filledText(meaningInKey) }
    if text.isEmpty { return nil }
    guard SubmissionKey.isValid(text) else { throw JobFailure.badKey(text, rule.name) }
    return SubmissionKey(text: text, window: rule.submit.keyWindow ?? .lasting(SubmissionKey.defaultWindow))
  }

  private func resolving<Value>(_ make: () throws -> Value) throws -> Value {
    do {
      return try make()
    } catch let gap as RuleTemplate.Unresolved {
      throw JobFailure.badReference("\(gap.reference.written) is not there", rule.name)
    }
  }

  /// Nothing tells jobs apart whose keys are made of null.
  private func meaningInKey(of reference: RuleReference) throws -> JSONText? {
    let value = try meaning(of: reference)
    guard value?.isNull == true else { return value }
    throw JobFailure.badReference("\(reference.written) is null, and a key is not made of null", rule.name)
  }

  private func meaning(of reference: RuleReference) throws -> JSONText? {
    switch reference {
    case .payload(let path): try member(at: path, of: payload, reference)
    case .result(let path): try member(at: path, of: result, reference)
    case .member(let member): value(of: member)
    }
  }

  private func member(at path: [String], of json: [UInt8], _ reference: RuleReference) throws -> JSONText? {
    if json.isEmpty { return nil }
    do throws(Unreadable) {
      return try JSONText(json).member(at: path)
    } catch {
      throw JobFailure.badReference("\(reference.written) cannot be read: \(error)", rule.name)
    }
  }

  private func value(of member: RuleReference.Member) -> JSONText? {
    switch member {
    case .notification: NotificationJSON.text(of: notification, epoch: place.epoch)
    case .event: JSONText(notification.event)
    case .place: JSONText("\(place.epoch)/\(place.seq)")
    case .at: JSONText(notification.at.rfc3339)
    case .job: notification.job.map { JSONText($0.description) }
    case .kind: notification.kind.map { JSONText($0.name) }
    case .department: notification.department.map { JSONText($0.name) }
    case .attempt: notification.attempt.map { JSONText($0) }
    case .key: notification.key.map { JSONText($0) }
    case .plan: notification.plan.map { JSONText($0.name) }
    case .name: notification.name.map { JSONText($0) }
    case .error: notification.error.map { JSONText($0.code) }
    case .message: notification.error.map { JSONText($0.message) }
    }
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

extension JobFailure {
  fileprivate static func sourceTooLarge(_ size: Int, _ rule: RuleName) -> JobFailure {
    JobFailure(
      code: Code.bodyTooLarge,
      message:
        "the payload of rule \"\(rule)\" would be made of \(size) bytes, and may have \(RuleFiring.payloadLimit): "
        + "name a member, such as ${payload.id}")
  }

  fileprivate static func badReference(_ problem: String, _ rule: RuleName) -> JobFailure {
    JobFailure(code: Code.ruleReference, message: "rule \"\(rule)\" makes no job of this: \(problem)")
  }

  fileprivate static func badKey(_ key: String, _ rule: RuleName) -> JobFailure {
    JobFailure(
      code: Code.badKey,
      message: "rule \"\(rule)\" makes the key \(Excerpt.quoted(key)), which is none: \(SubmissionKey.form)")
  }
}
