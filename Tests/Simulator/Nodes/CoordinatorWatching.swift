import AuditSupport
import Bookkeeping
import Decisions
import JobModel
import Teller

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
    let isShut = second == nil && (try? file.reading.isShut("daily")) ?? false
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
      if change.from == nil { checkFiring(change.job) }
      if change.from == .held || change.from == nil, change.to == .queued, second == nil {
        checkCap(of: change.job.department)
      }
      if isShut, wasShut, change.from == .held || change.from == nil, change.to == .queued,
        change.job.department == Departments.capped
      {
        world.failures.append("\(name) releases \(id), and a gate of its department is shut")
      }
    }
    wasShut = isShut
    checkPlans(changes)
    checkGate(changes)
    checkEvents(changes)
  }

  /// When a job of a department with a cap is released, no more are than that, with those that are void.
  private func checkCap(of department: Department) {
    guard !isReconfigured, let settings = configuration.departments[department], let cap = settings.cap,
      !settings.isOrdered, let tally = try? file.reading.tallies()[department]
    else { return }
    let taken = tally.released + tally.void
    if taken > cap { world.failures.append("\(name) releases more of \(department): \(taken), and \(cap) may be") }
  }

  /// What is released at once overtakes none that waits for nothing but room.
  private func checkTurn(of id: JobID) {
    guard let other = try? file.reading.overtaken(by: id) else { return }
    let row = try? file.reading.openRows().first { $0.id == other }
    world.failures.append("\(name) releases \(id) at once, and before it waits \(row.map { "\($0)" } ?? "\(other)")")
  }

  /// A plan goes back when nothing of an earlier round is released.
  private func checkRound(of id: JobID) {
    guard let other = try? file.reading.releasedOfEarlierRound(than: id) else { return }
    world.failures.append("\(name) has a plan go back to \(id), and \(other) has not ended")
  }

  /// The queue of a kind is removed when nothing is in it, or when nobody has a handler for the kind.
  func checkRemoval(of queue: JobQueue) async throws {
    guard second == nil, let kind = queue.kind,
      case let count = try file.reading.void(in: queue.department, of: kind), count > 0
    else { return }
    let status = try await books.status(broker: .connected, at: try withBooks { $0.monotonic })
    // Of one that does not name its handlers nobody knows whether it has this one.
    let isServed = status.workers.contains { worker in
      !worker.isDraining && !worker.isToldToDrain && worker.tellers[queue.department.name] ?? 0 > 0
        && world.workers.contains { $0.worker == worker.id && $0.namesKinds && $0.state.policies[kind] != nil }
    }
    if isServed {
      world.failures.append("\(name) removes \(queue), in which \(count) releases are that nobody has dropped")
    }
  }
}
