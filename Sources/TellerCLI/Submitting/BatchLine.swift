import Foundation
import JobModel
import Teller

/// One line of `submit --batch`: `{"kind": "deposit", "payload": {"cents": 500}}`.
enum BatchLine {
  /// Why a line is not submitted.
  struct Problem: Error, Equatable, CustomStringConvertible {
    let description: String
  }

  /// How many characters of a wrong text are shown.
  static let shownCharacters = 40

  static let members = [
    "kind", "department", "payload", "priority", "attempts", "rank", "id", "delay", "at", "start_by", "start_within",
    "timeout", "after", "after_failed", "key", "key_window",
  ]

  /// The job that the line describes. The payload keeps its bytes.
  static func submission(_ line: [UInt8]) throws(Problem) -> JobSubmission<JSONValue> {
    var fields = try Fields(line)
    guard let kind = try fields.take("kind", as: text, { JobKind($0) }) else {
      throw Problem(description: "\"kind\" is missing")
    }
    let payload = fields.takePayload()
    var submission = JobSubmission(
      kind: kind, payload: payload ?? [], contentType: payload == nil ? nil : "application/json")
    submission.department = try fields.take("department", as: text) { Department($0) }
    submission.priority = try fields.take("priority", as: number) { Priority($0) } ?? .normal
    submission.attempts = try fields.take("attempts", as: number) { Submission.attemptLimits.contains($0) ? $0 : nil }
    submission.rank = try fields.take("rank", as: number) { Submission.rankLimits.contains($0) ? $0 : nil }
    if let id = try fields.take("id", as: text, { JobID($0) }) { submission.id = id }
    try takeHolds(&fields, into: &submission)
    try fields.checkNothingIsLeft()
    // A job that the client refuses would keep the other jobs of its portion from being submitted.
    do {
      try submission.check()
    } catch {
      throw Problem(description: error.description)
    }
    return submission
  }

  private static func takeHolds(
    _ fields: inout Fields, into submission: inout JobSubmission<JSONValue>
  ) throws(Problem) {
    submission.delay = try fields.take("delay", as: text, duration)
    submission.runAt = try fields.take("at", as: text, moment)
    submission.startBy = try fields.take("start_by", as: text, moment)
    submission.startWithin = try fields.take("start_within", as: text, duration)
    submission.timeout = try fields.take("timeout", as: text, duration)
    submission.after = try fields.take("after", as: texts, jobs) ?? []
    let rule = try fields.take("after_failed", as: text) { DependencyRule(rawValue: $0) }
    if rule != nil, submission.after.isEmpty {
      throw Problem(description: "\"after_failed\" is there without \"after\"")
    }
    submission.afterFailed = rule ?? .fail
    submission.key = try fields.take("key", as: text) { $0 }
    submission.keyWindow = try fields.take("key_window", as: text) { KeyWindowArgument(argument: $0)?.window }
  }

  private static func duration(_ text: String) -> Duration? { DurationArgument(argument: text)?.duration }

  private static func moment(_ text: String) -> Date? { Timestamp(argument: text)?.date }

  private static func jobs(_ texts: [String]) -> [JobID]? {
    let jobs = texts.compactMap { JobID($0) }
    return jobs.count == texts.count ? jobs : nil
  }

  /// A list of texts, or one text alone.
  private static func texts(_ value: JSONText) -> [String]? { value.text.map { [$0] } ?? value.texts }

  private static func text(_ value: JSONText) -> String? { value.text }

  private static func number(_ value: JSONText) -> Int? { Int(String(decoding: value.bytes, as: UTF8.self)) }
}

/// The members of a line that are not read yet.
private struct Fields {
  private var values: [ExactText: JSONText]

  init(_ line: [UInt8]) throws(BatchLine.Problem) {
    do throws(Unreadable) {
      values = try JSONText.members(of: line)
    } catch {
      throw BatchLine.Problem(description: "this is not a JSON object, such as {\"kind\": \"deposit\"}: \(error)")
    }
  }

  mutating func take<Raw, Value>(
    _ name: String, as read: (JSONText) -> Raw?, _ make: (Raw) -> Value?
  ) throws(BatchLine.Problem) -> Value? {
    guard let json = values.removeValue(forKey: ExactText(name)) else { return nil }
    guard let value = read(json).flatMap(make) else {
      let shown = String(decoding: json.bytes.prefix(BatchLine.shownCharacters), as: UTF8.self)
      throw BatchLine.Problem(description: "\"\(name)\" cannot be \(shown); \(Fields.rule(for: name))")
    }
    return value
  }

  /// As it is written.
  mutating func takePayload() -> [UInt8]? { values.removeValue(forKey: "payload")?.bytes }

  func checkNothingIsLeft() throws(BatchLine.Problem) {
    guard let name = values.keys.min()?.wrappedValue else { return }
    let meant = Suggestion.nearest(to: name, in: BatchLine.members).map { "did you mean \"\($0)\"?" }
    let known = "known are \(BatchLine.members.joined(separator: ", "))"
    throw BatchLine.Problem(
      description: "unknown member \"\(name.prefix(BatchLine.shownCharacters))\"; \(meant ?? known)")
  }

  private static func words(_ range: ClosedRange<Int>) -> String { "\(range.lowerBound) to \(range.upperBound)" }

  private static func rule(for name: String) -> String {
    switch name {
    case "priority": "write a number from 0 to 9"
    case "attempts": "write a number from \(words(Submission.attemptLimits))"
    case "rank": "write a number from \(words(Submission.rankLimits))"
    case "id": "write a UUID"
    case "key_window": "write a duration, such as \"90s\", \"15m\" or \"2h\", or \"while-live\""
    case "delay", "start_within", "timeout": "write a duration, such as \"90s\", \"15m\" or \"2h\""
    case "at", "start_by": "write a moment with its offset, such as \"2026-03-01T08:00:00+01:00\""
    case "after": "write a list of UUIDs"
    case "after_failed": "write \"fail\" or \"cancel\""
    case "key": "write a text"
    default: "write 1–100 letters, digits, - and _"
    }
  }
}
