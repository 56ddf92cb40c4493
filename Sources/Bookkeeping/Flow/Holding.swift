import Decisions
import JobModel
import Ledger
import Logging

/// Jobs that have to wait: until a time, for a handler, or in the line of suspects. A released job that is held gives
/// its place to others.
struct Holding {
  let departments: Departments
  let releases: Releases
  let roster: Roster
  let search: HandlerSearch
  let withdrawing: Withdrawing
  let logger: Logger

  /// Where a job of the kind can be released to now: nowhere, while the queue of the kind is being removed.
  func route(of kind: JobKind, in department: Department) -> HandlerMap.Route {
    let route = roster.route(of: kind, in: department)
    let isClosing = route == .kind && departments.kindQueues.isClosing(JobQueue(department, kind: kind))
    return isClosing ? .nowhere : route
  }

  /// A held job waits for a handler from now on, and not for `hold` any more.
  func holdForHandler(
    _ number: Int64, _ kind: JobKind, in department: Department, _ priority: Priority, from hold: Hold = .room,
    _ turn: Turn
  ) throws {
    guard try turn.ledger.withhold(number, .handler) else { return }
    departments.rehold(from: hold, to: .handler, priority, in: department)
    // While its queue is full, or is being removed, some workers have a handler.
    if roster.route(of: kind, in: department) == .nowhere {
      return sayThatNobodyHasHandler(JobQueue(department, kind: kind))
    }
    departments.kindQueues.wait(for: JobQueue(department, kind: kind))
    departments.mayFill(department)
  }

  private func sayThatNobodyHasHandler(_ queue: JobQueue) {
    guard let kind = queue.kind, search.isMissing(queue) else { return }
    let lacking = roster.handlers.names(for: kind, in: queue.department).lacking.prefix(HandlerMap.nameLimit)
    let meant = roster.handlers.suggestion(for: kind, in: queue.department).map { "; did you mean \"\($0)\"?" } ?? ""
    logger.warning(
      "no worker has a handler for a kind: its jobs are held until one comes\(meant)",
      metadata: [
        "department": "\(queue.department)", "kind": "\(kind)", "workers": "\(lacking.joined(separator: ","))",
      ])
  }

  /// A released job that no worker has waits for a handler from now on.
  func holdForHandler(_ job: LiveJob, _ turn: Turn) throws {
    var job = job
    guard job.progress.apply(.heldBack) == .hold else { return }
    try turn.ledger.hold(job.number, job.progress, notBefore: nil)
    try giveUpPlace(of: job, for: .room, turn)
    try holdForHandler(job.number, job.kind, in: job.department, job.priority, turn)
  }

  /// A released job that no worker has waits for its turn in the order.
  func holdForTurn(_ job: LiveJob, _ turn: Turn) throws {
    var job = job
    guard job.progress.apply(.heldBack) == .hold else { return }
    try turn.ledger.hold(job.number, job.progress, notBefore: nil)
    try giveUpPlace(of: job, for: .room, turn)
  }

  /// A suspect waits in the line of its department.
  func holdSuspect(_ job: LiveJob, _ turn: Turn) throws {
    try turn.ledger.save(job.progress, of: job.number, releasedAt: nil)
    _ = try turn.ledger.withhold(job.number, .suspect)
    try giveUpPlace(of: job, for: .suspect, turn)
    let reason = "it may have ended workers, and waits for its turn"
    try withdrawing.abandonChange(of: job.release, because: reason, turn)
    try withdrawing.supersede(job.release, turn)
  }

  /// A job is tried again after that time.
  func hold(_ job: LiveJob, until time: Timestamp, _ turn: Turn) throws {
    try turn.ledger.hold(job.number, job.progress, notBefore: time)
    try giveUpPlace(of: job, for: .until(attempt: job.progress.attempt), turn)
  }

  /// A released job that is recorded as held gives its place to others.
  private func giveUpPlace(of job: LiveJob, for hold: Hold, _ turn: Turn) throws {
    // The job was released before its department became ordered: without a place in the order it would never go.
    if departments[job.department].isOrdered, job.order == nil { try turn.ledger.giveOrder(in: job.department) }
    turn.changed(job, from: releases.live.state(of: job.id))
    turn.placed(job.id, of: job.plan)
    releases[job.id] = nil
    departments.give(job.place)
    departments.hold(hold, job.priority, in: job.department)
  }
}

// MARK: - Held for a handler, and not any more

extension Holding {
  /// A job that was held for a handler is ready now, or waits in the line of suspects. A job that has ended in this
  /// turn is left alone.
  func lift(_ job: Candidate, in department: Department, _ turn: Turn) throws {
    guard try turn.ledger.withhold(job.number, job.isSuspect ? .suspect : nil) else { return }
    departments.rehold(from: .handler, to: job.isSuspect ? .suspect : .room, job.priority, in: department)
  }

  /// Looks after the jobs of one kind that are held for a handler, since a worker may have one now.
  func liftNext(_ turn: Turn) throws {
    guard let next = search.queues.first else { return }
    guard let kind = next.kind else {
      let kinds = try turn.ledger.withheldKinds(.handler, in: next.department, limit: HandlerSearch.kindLimit)
      search.looked(after: next)
      return kinds.forEach { search.look(for: $0, in: next.department) }
    }
    if try lift(kind, of: next, turn) { search.looked(after: next) }
  }

  /// Whether there is nothing more to lift of the kind.
  private func lift(_ kind: JobKind, of queue: JobQueue, _ turn: Turn) throws -> Bool {
    let route = route(of: kind, in: queue.department)
    guard route != .nowhere else { return true }
    search.found(queue)
    departments.mayFill(queue.department)
    if route == .kind, !departments[queue.department].isOrdered {
      // The jobs go one by one, as there is room in the queue of the kind.
      departments.kindQueues.wait(for: queue)
      return true
    }
    var jobs: [Candidate] = []
    for priority in Priority.all.reversed() where jobs.count < ReleaseBudget.releases {
      jobs += try turn.ledger.withheld(
        .handler, in: queue.department, kind: kind, priority: priority, limit: ReleaseBudget.releases - jobs.count)
    }
    for job in jobs { try lift(job, in: queue.department, turn) }
    guard jobs.count < ReleaseBudget.releases else { return false }
    departments.kindQueues.nothingWaits(for: queue)
    return true
  }
}
