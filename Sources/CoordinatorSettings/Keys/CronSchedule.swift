import JobModel

extension CronSchedule {
  enum Keys: String, SettingsKey {
    case cron, timezone, kind, department, payload, priority, attempts, missed
  }

  /// Reads every key; `cron:` and `kind:` must be there. Nil when one of these two cannot be used.
  init?(name: String, _ block: SettingsBlock<Keys>, _ mistakes: inout Mistakes) {
    block.require([.cron, .kind], of: "\"\(name)\"", &mistakes)
    let expression = block.value(.cron, &mistakes, CronSchedule.expression)
    let kind = block.name(.kind, &mistakes) { JobKind($0) }
    let zone = block.value(.timezone, &mistakes, CronSchedule.zone)
    let department = block.name(.department, &mistakes) { Department($0) }
    let level = block.number(.priority, within: 0...9, &mistakes)
    let attempts = block.number(.attempts, within: Submission.attemptLimits, &mistakes)
    let missed = block.word(.missed, of: MissedRuns.self, &mistakes)
    let payload = block.payload(.payload, &mistakes)
    guard let expression, let kind else { return nil }
    self.init(
      name: name, expression: expression, timeZone: zone ?? .utc, kind: kind, department: department, payload: payload,
      priority: level.flatMap { Priority($0) }, attempts: attempts, missed: missed ?? .once)
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

  private static func zone(_ name: String) throws(BadValue) -> Zone {
    do throws(ZoneError) {
      return try Zone(name)
    } catch {
      throw BadValue("\(Shown.text(name)) \(error)")
    }
  }
}
