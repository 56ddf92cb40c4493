import AuditSupport
import JobModel

// What is promised of webhooks.
extension Audit {
  /// Each webhook delivers once what becomes of each long job, and nothing that becomes of deliveries.
  func checkDeliveries(_ findings: Findings) throws -> [String] {
    guard world.hasWebhooks, let file = world.coordinators.first?.file, !world.isRolledBack, !world.otherLedgerServed
    else { return [] }
    let deliveries = try file.reading.deliveries()
    let ofDeliveries = deliveries.filter { $0.kind == "webhook" }
    let counts = Dictionary(grouping: deliveries.compactMap(\.cause)) { $0 }.mapValues(\.count)
    let told = findings.ledger.jobs.filter {
      $0.value.kind == "long" && [LedgerState.succeeded, LedgerState.failed].contains($0.value.state)
    }
    let wrong = told.keys.filter { counts[$0] != Departments.receivers.count }
    return (ofDeliveries.isEmpty ? [] : ["\(ofDeliveries.count) deliveries are made of deliveries"])
      + (wrong.isEmpty ? [] : ["not each webhook delivers once what became of \(wrong.map(\.description).sorted())"])
  }
}
