import AuditSupport
import Foundation
import JobModel
import JobTransport

/// Holds what a schedule has come to against everything that is promised: by the same rules that real systems are held
/// against.
struct Audit {
  let world: World
  let setting: Setting
  let hasEnded: Bool

  /// What a process of the schedule has seen to be wrong.
  static let atOnce = "at once"
  /// The promise of progress.
  static let progress = "everything comes to its end"

  /// The queues that end empty, and how much is in them.
  static func busyQueues(of world: World) -> [String: Int] {
    let names = ["teller.submissions.2", "teller.reports.2", "teller.requests", "teller.admin", "teller.rejected"]
    var busy: [String: Int] = [:]
    for (name, queue) in world.broker.queues
    where names.contains(name) || name.hasPrefix("teller.department.") && !isForgotten(name, world) {
      let unacked = world.broker.lines.values.reduce(0) { sum, line in
        sum + line.unacked.values.count { $0.queue == name }
      }
      if queue.count + unacked > 0 { busy[name] = queue.count + unacked }
    }
    return busy
  }

  /// A ledger that was rolled back knows nothing of the queues of kinds that were made since.
  private static func isForgotten(_ name: String, _ world: World) -> Bool {
    (world.isRolledBack || world.otherLedgerServed) && name.contains(".kind.")
  }

  func verdict() throws -> Verdict {
    var verdict = Verdict(seed: world.seed)
    verdict.events = world.events
    verdict.digest = world.trace.digest
    verdict.faults = world.faults.map(\.rawValue)
    verdict.jobs = world.record.submitted.count
    let findings = try findings()
    var sometimes = world.sometimes
    note(findings, &sometimes)
    verdict.sometimes = sometimes.counts
    verdict.violations = try violations(findings)
    return verdict
  }

  private func findings() throws -> Findings {
    var findings = Findings()
    if let coordinator = world.coordinators.first {
      let (now, moment) = (try coordinator.ledgerTime.milliseconds, world.moment)
      findings.ledger = try LedgerReading(coordinator.file.url) { moment + .milliseconds($0 - now) }.findings()
    }
    findings.runs = world.runs
    findings.announced = announced
    findings.queues = Audit.busyQueues(of: world)
    findings.recovery = hasEnded ? world.recovery : .zero
    return findings
  }

  /// How often each job's outcome is in the stream, under different numbers.
  private var announced: [JobID: Int] {
    var positions: [JobID: Set<NotificationPosition>] = [:]
    for client in world.clients {
      for (job, seen) in client.announced { positions[job, default: []].formUnion(seen) }
    }
    for message in world.broker.streams[Topology.Queue.notifications] ?? [] {
      guard case .recorded(let batch, _) = NotificationCodec.decode(ModelBroker.delivery(of: message, tag: 0, to: ""))
      else { continue }
      for notification in batch.notifications {
        guard let job = notification.job, let seq = notification.seq,
          ["succeeded", "failed", "cancelled"].contains(notification.event)
        else { continue }
        positions[job, default: []].insert(NotificationPosition(epoch: batch.epoch, seq: seq))
      }
    }
    return positions.mapValues(\.count)
  }

  /// Who is on record for a command, and has given none.
  func strangeAuthors() throws -> [String] {
    guard let file = world.coordinators.first?.file else { return [] }
    let (names, user) = (Set(world.clients.map(\.name)), world.hasUsers ? world.clients.first?.user : nil)
    return try file.reading.authors().filter { !names.contains($0.by ?? "") || $0.user != user }
      .map { "\($0.by ?? "nobody"), user \($0.user ?? "nobody")" }
  }

  /// Each client follows the stream from its beginning, through all connections. What is gone with a disk is gone.
  func missedEvents(_ findings: Findings) -> [String] {
    guard hasEnded, !world.isUncommon, world.wipes.isEmpty else { return [] }
    let last = findings.ledger.sequence.1
    return world.clients.compactMap { client in
      let seen = client.seen.values.reduce(into: Set<Int64>()) { $0.formUnion($1) }
      guard let first = (1...max(1, last)).first(where: { last > 0 && !seen.contains(Int64($0)) }) else { return nil }
      return "\(client.name) has never seen event \(first) of \(last)"
    }
  }

  /// One coordinator's clock is exact; the next one goes on about where the last one was.
  private var tolerance: Duration { world.coordinators.allSatisfy { $0.life < 1 } ? .milliseconds(20) : .seconds(1) }

  private func violations(_ findings: Findings) throws -> [String: [String]] {
    var violations: [String: [String]] = [:]
    if !world.failures.isEmpty { violations[Audit.atOnce] = world.failures }
    let checker = Checker(
      record: world.recordWithPauses, findings: findings, cutOffs: world.cutOffs, wipes: world.wipes,
      allowances: world.allowances,
      tolerance: tolerance)
    for (invariant, found) in checker.check() where !found.isEmpty && applies(invariant) {
      violations[invariant.rawValue] = found
    }
    let wrong = try checkRules(findings)
    if !wrong.isEmpty { violations["rules make the jobs that they shall"] = wrong }
    let deliveries = try checkDeliveries(findings)
    if !deliveries.isEmpty { violations["webhooks deliver what they shall"] = deliveries }
    let strange = try strangeAuthors()
    if !strange.isEmpty { violations["each command is on record with who gave it"] = strange }
    let blamed = BlameRules(world, findings.ledger).check()
    if !blamed.isEmpty { violations["nothing is blamed without a cause"] = blamed }
    let missed = missedEvents(findings)
    if !missed.isEmpty { violations["whoever follows the stream has everything"] = missed }
    if !hasEnded, world.failures.isEmpty { violations[Audit.progress] = [open(findings)] }
    return violations
  }

  /// After a rollback of the ledger only what it still promises.
  private func applies(_ invariant: Invariant) -> Bool {
    guard world.isRolledBack || setting.hasStandby && world.otherLedgerServed else { return true }
    return [.queues, .ledger].contains(invariant)
  }

  private func open(_ findings: Findings) -> String {
    let jobs = findings.ledger.jobs.filter { !$0.value.isFinal }.keys.map(\.description).sorted()
    return
      "open in the ledger: \(jobs.prefix(6).joined(separator: ", ")); in queues: \(findings.queues.keys.sorted().map(standing).joined(separator: "; ")); clients wait for "
      + world.clients.flatMap(\.openJobs).prefix(6).map(\.description).joined(separator: ", ")
      + "; void: \((try? void()) ?? []); told to drain and still there: \(world.drainingWorkers.map(\.name))"
  }

  private func void() throws -> [String] {
    try world.coordinators.first.map { try $0.file.reading.void() } ?? []
  }

  /// Who has the messages of a queue.
  private func standing(of name: String) -> String {
    guard let queue = world.broker.queues[name] else { return name }
    let consumers = queue.consumers.map { consumer in
      "\(consumer.tag) of line \(consumer.line) with \(consumer.outstanding) of \(consumer.prefetch)"
    }
    return "\(name) has \(queue.count) waiting, consumers \(consumers)"
  }

  private func note(_ findings: Findings, _ sometimes: inout Sometimes) {
    sometimes.note(.keptUnconfirmed, if: world.broker.keptUnconfirmed > 0)
    for job in findings.ledger.jobs.values {
      sometimes.note(.suspected, if: job.deaths > 1)
      sometimes.note(.replayed, if: job.againOf != nil)
      sometimes.note(.workerDied, if: job.deaths > 0)
      sometimes.note(.lost, if: job.attempts.values.contains("lost"))
      sometimes.note(.retried, if: job.attempts.values.contains("failed"))
      switch job.errorCode {
      case "poison": sometimes.note(.poison)
      case "too_late": sometimes.note(.tooLate)
      case "dependency": sometimes.note(.dependencyFailed)
      default: break
      }
    }
  }
}
