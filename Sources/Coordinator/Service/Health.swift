import Bookkeeping
package import JobModel
import JobTransport
import Ledger

extension HealthReport {
  /// The health of a coordinator: it is ready when it is connected, hears, turns, and can write. `broker`: whether the broker
  /// answers on each connection, and takes messages.
  static func coordinator(
    _ activity: Activity, _ broker: Check, _ signs: SignsOfLife, at now: Duration
  ) -> HealthReport {
    var checks = [broker]
    if activity.isStandby {
      checks.append(
        Check("standby", isOK: false, detail: "another coordinator is active, and this one waits for it to end"))
    }
    if let foreign = activity.foreignClaim {
      checks.append(Check("claim", isOK: false, detail: foreign.description))
    }
    checks.append(consumers(activity, signs, at: now))
    checks.append(signs.checkLoop("loop", HealthPart.timekeeper, at: now))
    checks.append(signs.check("ledger", HealthPart.ledger, did: "written", at: now))
    return HealthReport(checks + signs.warningChecks)
  }

  /// Names the departments that are out; nil: none is. The coordinator is ready all the same: it serves all others.
  static func departments(out reasons: [String: String]) -> Check? {
    if reasons.isEmpty { return nil }
    let parts = reasons.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    return Check("departments", isOK: true, detail: "out, as the broker refuses: \(parts.joined(separator: "; "))")
  }

  /// Its own message comes through one connection of several: `broker` looks at each.
  private static func consumers(_ activity: Activity, _ signs: SignsOfLife, at now: Duration) -> Check {
    if activity.isDraining { return Check("consumers", isOK: false, detail: "draining") }
    guard activity.isServing else { return Check("consumers", isOK: false, detail: "not attached") }
    return signs.check("consumers", HealthPart.hearing, did: "its own message heard", at: now)
  }
}

extension CoordinatorService {
  /// Whether it is ready: connected, its consumers attached and heard from, its steps turning, its ledger writable. One
  /// that stands by or drains is not. Waits for nothing, whatever hangs.
  package func health() -> HealthReport {
    let (signs, now) = board.snapshot
    var report = HealthReport.coordinator(activity, session.check, signs, at: now)
    if let out = HealthReport.departments(out: board.departmentsOut) { report.checks.append(out) }
    return report
  }
}
