public import JobModel
package import struct Foundation.TimeZone

/// The settings of a schedule in `teller.yaml`: a job that is submitted again and again, by the clock.
public struct ScheduleSettings: Sendable, Hashable {
  /// When the job is submitted, as a cron expression of five fields: `0 3 * * *` is at three o'clock each day.
  public var cron: String { expression.description }
  /// The time zone of the expression, such as `Europe/Berlin`.
  public let timeZone: String
  /// The kind of the job.
  public var kind: JobKind
  /// The department of the job; nil: the department of its kind.
  public var department: Department?
  /// The input of the handler; nil: none.
  public var payload: JSONValue?
  /// How urgent the job is; nil: the default priority.
  public var priority: Priority?
  /// How often the job is tried; nil: as its kind says.
  public var attempts: Int?
  /// What becomes of the times at which no coordinator ran.
  public var missed: MissedRuns

  package let expression: CronExpression
  package let zone: TimeZone

  /// A schedule.
  ///
  /// - Throws: ``ConfigurationError`` when `cron` is no cron expression or matches no day of any year, or the time zone
  ///   is not known here.
  public init(
    cron: String, timeZone: String = ScheduleSettings.defaultTimeZone, kind: JobKind, department: Department? = nil,
    payload: JSONValue? = nil, priority: Priority? = nil, attempts: Int? = nil, missed: MissedRuns = .once
  ) throws(ConfigurationError) {
    do throws(BadValue) {
      expression = try ScheduleSettings.expression(cron)
      zone = try ScheduleSettings.zone(timeZone)
    } catch {
      throw .invalidSetting(source: "the schedule", problem: error.description)
    }
    self.timeZone = timeZone
    self.kind = kind
    self.department = department
    self.payload = payload
    self.priority = priority
    self.attempts = attempts
    self.missed = missed
  }

  /// The default of ``timeZone``.
  public static let defaultTimeZone = "UTC"

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
}

extension ScheduleSettings: Decodable {
  enum Keys: String, CodingKey, CaseIterable {
    case cron, timezone, kind, department, payload, priority, attempts, missed
  }

  /// Reads every key but `payload:`. The file's own reader reads that: it knows whether a word stands in quotes.
  public init(from decoder: any Decoder) throws {
    if try decoder.singleValueContainer().decodeNil() {
      throw DecodingError.keyNotFound(Keys.cron, .init(codingPath: decoder.codingPath, debugDescription: "nothing"))
    }
    let container = try decoder.container(keyedBy: Keys.self)
    // A missing key is an error of its own.
    _ = try container.decode(String.self, forKey: .cron)
    kind = try container.decode(JobKind.self, forKey: .kind)
    guard let expression = try container.text(.cron, ScheduleSettings.expression) else {
      throw container.problem(.cron, "it is missing")
    }
    self.expression = expression
    let named = try container.text(.timezone) { text throws(BadValue) in (text, try ScheduleSettings.zone(text)) }
    (timeZone, zone) = named ?? (ScheduleSettings.defaultTimeZone, .gmt)
    department = try container.given(.department)
    priority = try container.given(.priority)
    attempts = try container.number(.attempts, within: Submission.attemptLimits)
    missed = try container.text(.missed, ScheduleSettings.missed) ?? .once
  }

  private static func missed(_ text: String) throws(BadValue) -> MissedRuns {
    if let missed = MissedRuns(rawValue: text) { return missed }
    let known = MissedRuns.allCases.map(\.rawValue).joined(separator: ", ")
    throw BadValue("\"\(text.prefix(BadValue.shownCharacters))\" is none of \(known)")
  }
}

extension TellerConfiguration {
  /// The schedules for the coordinator, by name. One whose name is not allowed is left out; the file's reader refuses
  /// it.
  package var cronSchedules: [CronSchedule] {
    schedules.sorted { $0.key < $1.key }.compactMap { name, settings in
      CronSchedule(
        name: name, expression: settings.expression, timeZone: settings.zone, kind: settings.kind,
        department: settings.department, payload: settings.payload, priority: settings.priority,
        attempts: settings.attempts, missed: settings.missed)
    }
  }
}
