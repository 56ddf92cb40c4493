import AuditSupport
import Bookkeeping
import JobModel

// What is told of a turn is told when the copy has the turn.
extension SecondLedger {
  /// These leave now.
  func check(_ batch: [Outgoing], of node: CoordinatorNode) throws {
    guard let copied else { return }
    for item in batch {
      switch item {
      case .assignment(let assignment):
        let release = assignment.release
        if try copied.standing(of: release.job)?.release ?? 0 < release.number {
          fail("releases \(release), which its second ledger does not have", node)
        }
      case .reply(_, let reply), .acceptance(_, let reply):
        if let job = reply.job.flatMap({ JobID($0) }), try !knows(reply.content, of: job, copied) {
          fail("answers \(reply.content) of \(job), which its second ledger does not have", node)
        }
      default: break
      }
    }
  }

  /// These are published now.
  func check(_ batch: NotificationBatch, of node: CoordinatorNode) throws {
    guard let copied, let last = batch.notifications.compactMap(\.seq).max() else { return }
    let known = try copied.lastNotification()
    if known < last { fail("tells notification \(last), and its second ledger has \(known)", node) }
  }

  private func knows(_ content: Reply.Content, of job: JobID, _ copied: AuditSupport.LedgerReading) throws -> Bool {
    // A plan or an event has a row of another sort.
    guard let standing = try copied.standing(of: job) else { return true }
    if case .outcome = content { return standing.state >= LedgerState.succeeded }
    return true
  }

  private func fail(_ text: String, _ node: CoordinatorNode) { node.world.failures.append("\(node.name) \(text)") }
}
