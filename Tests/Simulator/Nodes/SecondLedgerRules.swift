import AuditSupport
import Bookkeeping
import JobModel

// What is told of a turn is told when the copy has the turn.
extension SecondLedger {
  /// These leave now.
  func check(_ batch: [Outgoing], of node: CoordinatorNode) throws {
    guard let copied else { return }
    for item in batch {
      if let wrong = try SecondLedger.wrong(item, copied.standing(of:)) { fail(wrong, node) }
    }
  }

  /// What is wrong with what leaves; `standing`: how a job stands in the copy, nil if it is not there.
  static func wrong(_ item: Outgoing, _ standing: (JobID) throws -> (state: Int, release: Int)?) rethrows -> String? {
    switch item {
    case .assignment(let assignment):
      let release = assignment.release
      guard try standing(release.job)?.release ?? 0 < release.number else { return nil }
      return "releases \(release), which its second ledger does not have"
    case .reply(_, let reply), .acceptance(_, let reply):
      // A plan or an event has a row of another sort.
      guard case .outcome = reply.content, let job = reply.job.flatMap({ JobID($0) }), let known = try standing(job),
        known.state < LedgerState.succeeded
      else { return nil }
      return "answers \(reply.content) of \(job), which its second ledger does not have"
    default: return nil
    }
  }

  /// These are published now.
  func check(_ batch: NotificationBatch, of node: CoordinatorNode) throws {
    guard let copied else { return }
    if let wrong = SecondLedger.wrong(batch, last: try copied.lastNotification()) { fail(wrong, node) }
  }

  /// What is wrong with what is published; `last`: the number of the last notification in the copy.
  static func wrong(_ batch: NotificationBatch, last known: Int64) -> String? {
    guard let last = batch.notifications.compactMap(\.seq).max(), known < last else { return nil }
    return "tells notification \(last), and its second ledger has \(known)"
  }

  private func fail(_ text: String, _ node: CoordinatorNode) { node.world.failures.append("\(node.name) \(text)") }
}
