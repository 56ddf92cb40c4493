import struct Foundation.TimeZone
package import JobModel

extension CronSchedule: Decodable {
  enum Keys: String, CodingKey, CaseIterable {
    case cron, timezone, kind, department, payload, priority, attempts, missed
  }

  /// Reads every key but `payload:`. The file's own reader reads that: it knows whether a word stands in quotes. The
  /// schedule's name is the last key on the way to it.
  package init(from decoder: any Decoder) throws {
    if try decoder.singleValueContainer().decodeNil() {
      throw DecodingError.keyNotFound(Keys.cron, .init(codingPath: decoder.codingPath, debugDescription: "nothing"))
    }
    let container = try decoder.container(keyedBy: Keys.self)
    // A missing key is an error of its own.
    _ = try container.decode(String.self, forKey: .cron)
    let kind = try container.decode(JobKind.self, forKey: .kind)
    guard let expression = try container.text(.cron, CronSchedule.expression),
      let schedule = CronSchedule(
        name: decoder.codingPath.last?.stringValue ?? "", expression: expression,
        timeZone: try container.text(.timezone, CronSchedule.zone) ?? .gmt, kind: kind,
        department: try container.given(.department), priority: try container.given(.priority),
        attempts: try container.number(.attempts, within: Submission.attemptLimits),
        missed: try container.text(.missed, CronSchedule.missed) ?? .once)
    else { throw container.problem(.cron, "it is missing") }
    self = schedule
  }

  private static func expression(_ text: String) throws(BadValue) -> CronExpression {
    let expression: CronExpression
    do throws(CronExpressionError) {
      expression = try CronExpression(text)
    } catch {
      throw BadValue(error.description)
    }
    if expression.neverFires { throw BadValue("\"\(text)\" never comes: there is no such day in any year") }
    return expression
  }

  private static func zone(_ name: String) throws(BadValue) -> TimeZone {
    if let zone = TimeZone(identifier: name) { return zone }
    let meant = Suggestion.nearest(to: name, in: TimeZone.knownTimeZoneIdentifiers).map { "; did you mean \"\($0)\"?" }
    let advice = meant ?? ": write for example Europe/Berlin or UTC"
    throw BadValue("\"\(name.prefix(BadValue.shownCharacters))\" is no time zone that this machine knows\(advice)")
  }

  private static func missed(_ text: String) throws(BadValue) -> MissedRuns {
    if let missed = MissedRuns(rawValue: text) { return missed }
    let known = MissedRuns.allCases.map(\.rawValue).joined(separator: ", ")
    throw BadValue("\"\(text.prefix(BadValue.shownCharacters))\" is none of \(known)")
  }
}
