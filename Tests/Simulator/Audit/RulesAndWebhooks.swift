import AuditSupport
import Decisions
import JobModel

// What is promised of rules, and of webhooks, each of which is a rule with a department.
extension Audit {
  /// Each failure has one job that a rule has made of it if the rule was in force then, else one at most, and none
  /// while there was no such rule; and no chain is longer than it may be.
  func checkRules(_ findings: Findings) throws -> [String] {
    guard let made = try RuleJobs(self, findings) else { return [] }
    let long = made.jobs.filter { $0.depth > Rule.longestChain }
    let wrong = made.wrong("hopeless", by: Audit.rule)
    let groundless = made.groundless.filter { WebhookSettings.isFree($0) }
    return (long.isEmpty ? [] : ["\(long.count) jobs are at the end of a chain that is too long"])
      + (wrong.isEmpty ? [] : ["not one job was made of the failure of each of \(wrong.map(\.description).sorted())"])
      + (groundless.isEmpty ? [] : ["\(groundless.map(\.name).sorted()) made jobs that they should not"])
  }

  /// The rule that makes a job of each failure of a kind.
  private static let rule: RuleName = "alert"

  /// Each webhook delivers once what becomes of each long job while it is in the configuration, and never twice;
  /// nothing while it is away, and nothing that becomes of deliveries.
  func checkDeliveries(_ findings: Findings) throws -> [String] {
    guard let made = try RuleJobs(self, findings) else { return [] }
    let groundless = made.groundless.filter { !WebhookSettings.isFree($0) }
    let wrong = Departments.webhooks.flatMap { department in
      RuleName(department.name).map { made.wrong("long", by: $0) } ?? []
    }
    return (groundless.isEmpty ? [] : ["\(groundless.map(\.name).sorted()) delivered what they should not"])
      + (wrong.isEmpty ? [] : ["not each webhook delivers once what became of \(wrong.map(\.description).sorted())"])
  }
}

/// What rules and webhooks have made, beside the configurations that may have been in force then. What is made of an
/// event is recorded in the same turn.
struct RuleJobs {
  let jobs: [LedgerRuleJob]
  private let findings: Findings
  private let inForce: InForce
  private let now: Timestamp

  /// Nil: nothing is promised.
  init?(_ audit: Audit, _ findings: Findings) throws {
    let world = audit.world
    guard let coordinator = world.coordinators.first, !world.isUncommon else { return nil }
    self.findings = findings
    (inForce, now) = (world.inForce, world.wall)
    jobs = try coordinator.file.reading.ruleJobs()
  }

  /// The jobs of that kind of whose end the rule has made two jobs, or none while it was certainly in force.
  func wrong(_ kind: String, by rule: RuleName) -> [JobID] {
    let counts = jobs.filter { $0.rule == rule.name }.reduce(into: [JobID: Int]()) { counts, job in
      if let cause = job.cause { counts[cause, default: 0] += 1 }
    }
    return findings.ledger.jobs.filter { id, job in
      guard job.kind == kind, let end = end(of: id) else { return false }
      let count = counts[id] ?? 0
      return count > 1 || count == 0 && inForce.certainlyMakes(rule, of: end, atEvent: job.outcomeEvent)
    }.map(\.key)
  }

  /// The rules that have made a job while there certainly was no such rule, or of what it certainly was not about: each
  /// as often as that was so.
  var groundless: [RuleName] {
    jobs.compactMap { job in
      guard let rule = RuleName(job.rule) else { return nil }
      return inForce.certainlyLacks(rule, of: end(behind: job), atEvent: job.event) ? rule : nil
    }
  }

  /// What was told of the end of a job of which this one was made; nil: it was made of something else.
  private func end(behind made: LedgerRuleJob) -> Notification? {
    guard let cause = made.cause, findings.ledger.jobs[cause]?.outcomeEvent == made.event else { return nil }
    return end(of: cause)
  }

  /// What was told when a job succeeded or failed; nil: it did not.
  private func end(of id: JobID) -> Notification? {
    guard let job = findings.ledger.jobs[id],
      [LedgerState.succeeded, LedgerState.failed].contains(job.state), let state = LedgerState.name(of: job.state)
    else { return nil }
    return Notification(
      job: id, kind: JobKind(job.kind), department: Department(job.department), event: state.rawValue, at: now)
  }
}
