import AuditSupport
import Decisions
import JobModel
import Testing

@testable import Simulator

/// What is looked at in the end.
@Suite("The simulator's rules of what a schedule has come to")
struct AuditTests {
  /// A job that has ended, as the event of that number tells.
  private func findings(_ kind: String, _ state: Int, _ job: JobID, event: Int64? = 1) -> Findings {
    var recorded = LedgerFindings.Job(state: state, attempt: 1, hasEnd: true, notifications: 1)
    (recorded.kind, recorded.outcomeEvent) = (kind, event)
    return Findings(ledger: LedgerFindings(jobs: [job: recorded]))
  }

  /// Writes a job that a rule has made of the event of that number.
  private func made(
    of cause: JobID, depth: Int = 1, number: Int, event: Int = 1, by rule: String = "alert", _ bench: RuleBench
  ) throws -> JobID {
    let job = try bench.job(["number": "\(number)"])
    let row = [
      "job": "\(number)", "rule": "'\(rule)'", "epoch": "1", "notification": "\(event)", "cause": cause.sql,
      "depth": "\(depth)",
    ]
    try bench.write("rule_job", row)
    return job
  }

  @Test("finds nothing where nothing has happened, and whatever was found at once")
  func atOnce() throws {
    let bench = try RuleBench()
    bench.world.recovery = .zero
    #expect(try bench.audit().verdict().violations == [:])
    bench.world.failures = ["a rule is broken"]
    #expect(try bench.audit().verdict().violations == ["at once": ["a rule is broken"]])
  }

  @Test("finds a schedule that does not come to its end, or does not recover")
  func progress() throws {
    let bench = try RuleBench()
    let job = try bench.job()
    let open = try bench.audit(hasEnded: false).verdict().violations
    #expect(open[Audit.progress]?.first?.contains(job.description) == true)
    #expect(open[Invariant.recovered.rawValue] == nil)
    #expect(try bench.audit().verdict().violations[Invariant.recovered.rawValue] != nil)
  }

  @Test("holds what it finds against the shared rules; after a rollback only what a ledger still promises")
  func shared() throws {
    let bench = try RuleBench()
    // It has ended, and there is no end.
    try bench.job(["state": "2"])
    let found = try bench.audit().verdict().violations
    #expect(found[Invariant.ledger.rawValue] != nil && found[Invariant.notified.rawValue] != nil)
    bench.world.isRolledBack = true
    #expect(try Set(bench.audit().verdict().violations.keys) == [Invariant.ledger.rawValue])
  }

  @Test("brings what is blamed without a cause into the verdict")
  func blame() throws {
    let bench = try RuleBench()
    try bench.job(["deaths": "1"])
    #expect(try bench.audit().verdict().violations["nothing is blamed without a cause"]?.count == 1)
  }

  /// The coordinator has that configuration from now on, and the event of that number is recorded.
  private func goOn(_ configuration: CoordinatorConfiguration, _ bench: RuleBench, event: Int = 1) throws {
    bench.world.mayGoOn(with: configuration, bench.node)
    bench.world.goesOn(with: configuration, bench.node)
    try bench.write("notification", InForceTests.event(event))
  }

  @Test("finds a failure of which a rule has made no job or two, and a chain that is too long")
  func rules() throws {
    let bench = try RuleBench()
    let failed = JobID()
    let findings = findings("hopeless", LedgerState.failed, failed)
    #expect(try bench.audit().checkRules(findings).isEmpty)
    try goOn(CoordinatorConfiguration(rules: Setting.possibleRules), bench)
    #expect(try bench.audit().checkRules(findings).count == 1)
    let alert = try made(of: failed, number: 1, bench)
    #expect(try bench.audit().checkRules(findings).isEmpty)
    _ = try made(of: alert, depth: Rule.longestChain, number: 2, bench)
    #expect(try bench.audit().checkRules(findings).isEmpty)
    _ = try made(of: alert, depth: Rule.longestChain + 1, number: 3, bench)
    #expect(try bench.audit().checkRules(findings).count == 1)
    _ = try made(of: failed, number: 4, bench)
    #expect(try bench.audit().checkRules(findings).count == 2)
  }

  @Test("wants a job of a failure only where the rule was there all the time in which it may have been recorded")
  func ruleThatComes() throws {
    let bench = try RuleBench()
    let failed = JobID()
    var findings = findings("hopeless", LedgerState.failed, failed)
    let present = CoordinatorConfiguration(rules: Setting.possibleRules)
    try goOn(CoordinatorConfiguration(), bench)
    bench.world.mayGoOn(with: present, bench.node)
    try bench.write("notification", InForceTests.event(2))
    try goOn(present, bench, event: 3)
    let events: [(Int64?, Int)] = [(nil, 0), (1, 0), (2, 0), (3, 1)]
    for (event, count) in events {
      findings.ledger.jobs[failed]?.outcomeEvent = event
      #expect(try bench.audit().checkRules(findings).count == count, "\(event ?? 0)")
    }
  }

  @Test("finds what a rule makes that is gone, or is about something else")
  func ruleThatIsGone() throws {
    let bench = try RuleBench()
    let (first, present) = (JobID(), CoordinatorConfiguration(rules: Setting.possibleRules))
    try goOn(present, bench)
    _ = try made(of: first, number: 1, bench)
    #expect(try bench.audit().checkRules(Findings()).isEmpty)
    #expect(try bench.audit().checkRules(findings("hopeless", LedgerState.succeeded, first)).count == 1)
    // Of another event than its end nobody knows whether the rule is about it.
    #expect(try bench.audit().checkRules(findings("hopeless", LedgerState.succeeded, first, event: 2)).isEmpty)
    try goOn(CoordinatorConfiguration(), bench, event: 2)
    #expect(try bench.audit().checkRules(Findings()).isEmpty)
    // It may be about to come back.
    bench.world.mayGoOn(with: present, bench.node)
    _ = try made(of: JobID(), number: 2, event: 3, bench)
    #expect(try bench.audit().checkRules(Findings()).isEmpty)
    _ = try made(of: JobID(), number: 3, event: 2, bench)
    #expect(try bench.audit().checkRules(Findings()).count == 1)
  }

  @Test("finds a long job that not each webhook has delivered once, and a delivery of a delivery")
  func deliveries() throws {
    let bench = try RuleBench()
    let told = JobID()
    var findings = findings("long", LedgerState.succeeded, told)
    #expect(try bench.audit().checkDeliveries(findings).isEmpty)
    var configuration = CoordinatorConfiguration()
    Setting.addWebhooks(to: &configuration)
    try goOn(configuration, bench)
    let names = Departments.webhooks.map(\.name)
    #expect(try bench.audit().checkDeliveries(findings).count == 1)
    let first = try made(of: told, number: 1, by: names[0], bench)
    #expect(try bench.audit().checkDeliveries(findings).count == 1)
    _ = try made(of: told, number: 2, by: names[1], bench)
    #expect(try bench.audit().checkDeliveries(findings).isEmpty)
    var delivery = LedgerFindings.Job(state: LedgerState.succeeded, attempt: 1, hasEnd: true, notifications: 1)
    (delivery.kind, delivery.department, delivery.outcomeEvent) = ("webhook", names[0], 2)
    findings.ledger.jobs[first] = delivery
    _ = try made(of: first, number: 3, event: 2, by: names[1], bench)
    #expect(try bench.audit().checkDeliveries(findings).count == 1)
    _ = try made(of: told, number: 4, by: names[1], bench)
    #expect(try bench.audit().checkDeliveries(findings).count == 2)
  }

  @Test("finds what one webhook delivers for another one, or while it is away")
  func receivers() throws {
    let bench = try RuleBench()
    let told = JobID()
    let findings = findings("long", LedgerState.succeeded, told)
    var configuration = CoordinatorConfiguration()
    Setting.addWebhooks(to: &configuration)
    try goOn(configuration, bench)
    let names = Departments.webhooks.map(\.name)
    for number in 1...2 { _ = try made(of: told, number: number, by: names[0], bench) }
    #expect(try bench.audit().checkDeliveries(findings).count == 1)
    configuration.webhooks = [:]
    try goOn(configuration, bench, event: 2)
    #expect(try bench.audit().checkDeliveries(Findings()).isEmpty)
    _ = try made(of: told, number: 3, event: 2, by: names[1], bench)
    #expect(try bench.audit().checkDeliveries(Findings()).count == 1)
  }

  @Test("finds a command of somebody who has given none, or of another user")
  func authors() throws {
    let bench = try RuleBench()
    bench.world.clients = [ClientNode("client1", bench.world)]
    let action = ["at": "0", "action": "'cancel'", "by_name": "'client1'"]
    try bench.write("action", action)
    #expect(try bench.audit().strangeAuthors().isEmpty)
    try bench.write("action", action.merging(["by_name": "'stranger'"]) { $1 })
    #expect(try bench.audit().strangeAuthors().count == 1)
    try bench.write("action", action.merging(["user": "'stranger'"]) { $1 })
    #expect(try bench.audit().strangeAuthors().count == 2)
  }

  @Test("finds an event that somebody who follows the stream has never seen")
  func missed() throws {
    let bench = try RuleBench()
    let client = ClientNode("client1", bench.world)
    bench.world.clients = [client]
    let findings = Findings(ledger: LedgerFindings(sequence: (1, 3, 3)))
    client.seen = [1: [1, 3]]
    #expect(bench.audit().missedEvents(findings) == ["client1 has never seen event 2 of 3"])
    #expect(bench.audit(hasEnded: false).missedEvents(findings).isEmpty)
    client.seen = [1: [1, 2], 2: [3]]
    #expect(bench.audit().missedEvents(findings).isEmpty)
    client.seen = [:]
    bench.world.wipes = [Wipe(from: bench.world.moment, until: bench.world.moment)]
    #expect(bench.audit().missedEvents(findings).isEmpty)
  }
}
