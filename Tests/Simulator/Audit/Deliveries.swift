import AuditSupport
import JobModel

// What is promised of webhooks.
extension Audit {
  /// Each webhook delivers once what becomes of each long job while it is in the configuration, and never twice; and
  /// nothing that becomes of deliveries.
  func checkDeliveries(_ findings: Findings) throws -> [String] {
    guard world.hasWebhooks, let file = world.coordinators.first?.file, !world.isRolledBack, !world.otherLedgerServed
    else { return [] }
    let deliveries = try file.reading.deliveries()
    // What is under way for a webhook that is gone is no delivery of a webhook any more.
    let ofDeliveries = deliveries.filter { delivery in
      let department = delivery.cause.flatMap { findings.ledger.jobs[$0]?.department } ?? ""
      return delivery.kind == "webhook" && !world.webhooksAway.contains(department)
    }
    let wrong = wronglyDelivered(deliveries.compactMap(\.cause), findings)
    return (ofDeliveries.isEmpty ? [] : ["\(ofDeliveries.count) deliveries are made of deliveries"])
      + (wrong.isEmpty ? [] : ["not each webhook delivers once what became of \(wrong.map(\.description).sorted())"])
  }

  /// `delivered`: the job of each delivery.
  private func wronglyDelivered(_ delivered: [JobID], _ findings: Findings) -> [JobID] {
    let counts = Dictionary(grouping: delivered) { $0 }.mapValues(\.count)
    let told = world.record.knownToHaveEnded
    return findings.ledger.jobs.filter { id, job in
      guard job.kind == "long", [LedgerState.succeeded, LedgerState.failed].contains(job.state) else { return false }
      let (count, most) = (counts[id] ?? 0, Departments.receivers.count)
      if count == most { return false }
      return count > most || world.webhooksInForce.holds(ended: job.ended, told: told[id])
    }.map(\.key)
  }
}
