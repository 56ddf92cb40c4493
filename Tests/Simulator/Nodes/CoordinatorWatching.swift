import AuditSupport
import Bookkeeping
import Decisions
import JobModel

// Whoever watches is told each change of a job's state, from what it was to what it is.
extension CoordinatorNode {
  var watch: Bookkeeper.Watch {
    // Unsafe: a schedule has one thread.
    nonisolated(unsafe) let node = self
    return { node.hear(of: $0) }
  }

  /// Has what turns write recorded elsewhere, too, if it is to be.
  var ship: Bookkeeper.Ship? {
    guard second != nil else { return nil }
    // Unsafe: a schedule has one thread.
    nonisolated(unsafe) let node = self
    return { node.second?.ship($0) }
  }

  /// Does that in this session when everything is safe that is recorded by now.
  func whenSafe(_ body: @escaping () throws -> Void) throws {
    guard let second else { return try body() }
    let session = session
    try second.whenSafe { [self] in if session == self.session { try body() } }
  }

  private func hear(of changes: [JobChange]) {
    // Where a turn is told later than it is recorded, the ledger says nothing of that moment.
    let isShut = second == nil && (try? LedgerReading(file.url).isShut("daily")) ?? false
    for change in changes {
      let id = change.job.id
      // The job of an event may be taken back, and made anew.
      if let known = states[id], known != change.from, known != .held || change.from != nil {
        world.failures.append(
          "\(name) tells that \(id) is \(change.to) after \(change.from.map { "\($0)" } ?? "nothing"), and it was \(known)"
        )
      }
      states[id] = change.to
      if change.from == .held, change.to == .queued, second == nil { checkCompany(of: id, in: changes) }
      if change.from == nil, change.plan != nil { checkRound(of: id) }
      if change.from == nil, change.to == .queued, second == nil { checkTurn(of: id) }
      if change.from == nil, change.job.kind == "tick", configuration.schedules.isEmpty, !isReconfigured {
        world.failures.append("\(name) fires a schedule that is not in its configuration any more")
      }
      if isShut, wasShut, change.from == .held || change.from == nil, change.to == .queued,
        change.job.department == Departments.capped
      {
        world.failures.append("\(name) releases \(id), and a gate of its department is shut")
      }
    }
    wasShut = isShut
  }

  /// What is released at once overtakes none that waits for nothing but room.
  private func checkTurn(of id: JobID) {
    guard let other = try? LedgerReading(file.url).overtaken(by: id) else { return }
    let row = try? LedgerReading(file.url).openRows().first { $0.id == other }
    world.failures.append("\(name) releases \(id) at once, and before it waits \(row.map { "\($0)" } ?? "\(other)")")
  }

  /// A plan goes back when nothing of an earlier round is released.
  private func checkRound(of id: JobID) {
    guard let other = try? LedgerReading(file.url).releasedOfEarlierRound(than: id) else { return }
    world.failures.append("\(name) has a plan go back to \(id), and \(other) has not ended")
  }
}
