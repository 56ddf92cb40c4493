import Decisions
import JobModel
import JobTransport
import Ledger
import Logging

/// Kinds of jobs, and the workers that have handlers for them. While workers are replaced by others of another version,
/// not all of a department have the same.
extension Bookkeeper {
  /// Of how many kinds that nobody has a handler for the log speaks.
  static let missingHandlersLimit = 100

  /// Where a job of the kind can be released to now.
  func route(of kind: JobKind, in department: Department) -> HandlerMap.Route {
    let route = handlers.route(of: kind, in: department)
    // What is being removed is made anew when it is gone.
    if route == .kind, kindQueues.isClosing(JobQueue(department, kind: kind)) { return .nowhere }
    return route
  }

  /// The workers that are waited for, as the ledger knows them.
  func expectHandlers(of workers: [WorkerRecord], _ turn: Turn) throws {
    handlers = HandlerMap()
    shares = [:]
    kindQueues.beginSession()
    for worker in workers {
      handlers.serve(worker.id, name: worker.name, departments: worker.tellers.served, kinds: worker.kinds)
    }
    for (department, desk) in desks where desk.unserved > 0 {
      chores.lookForHandlers(of: nil, in: department)
      // Until that is done nothing overtakes what is held.
      for kind in try turn.ledger.withheldKinds(.handler, in: department, limit: Chores.kindLimit) {
        kindQueues.wait(for: JobQueue(department, kind: kind))
      }
    }
  }

  /// A worker says which kinds it has handlers for: what was held for one of them goes on. One that drains serves nothing
  /// any more: what only such workers know would lie in a queue that nobody consumes.
  func noteHandlers(of presence: Presence) {
    let departments = presence.isDraining ? [] : presence.tellers.served
    guard handlers.serve(presence.worker, name: presence.name, departments: departments, kinds: presence.kinds) else {
      return
    }
    lookForWhoTakesAll()
    lookAfterWaiting()
    for department in departments where self[desk: department].unserved > 0 {
      for kind in presence.kinds ?? [] { chores.lookForHandlers(of: kind, in: department) }
    }
  }

  func forgetHandlers(of worker: WorkerID) {
    handlers.leave(worker)
    shares[worker] = nil
    lookForWhoTakesAll()
    lookAfterWaiting()
  }

  /// A worker that names no kinds takes what was held, when it comes, and when the last one that lacks a handler goes.
  private func lookForWhoTakesAll() {
    for (department, desk) in desks where desk.unserved > 0 && handlers.hasOneForAll(in: department) {
      chores.lookForHandlers(of: nil, in: department)
    }
  }

  /// When the last worker without a handler for a kind is gone, its jobs are held no longer.
  private func lookAfterWaiting() {
    for queue in kindQueues.waiting { chores.lookForHandlers(of: queue.kind, in: queue.department) }
  }

  /// A job that is ready, or a suspect whose turn it is, is held from now on: nobody in its department has a handler for
  /// its kind, or those that have one were given as many as may be.
  func withhold(
    _ number: Int64, _ kind: JobKind, in department: Department, _ priority: Priority, from hold: Hold = .room,
    _ turn: Turn
  ) throws {
    guard try turn.ledger.withhold(number, .handler) else { return }
    self[desk: department].unhold(hold, priority)
    self[desk: department].hold(.handler, priority)
    // While its queue is full, or is being removed, some have one.
    if handlers.route(of: kind, in: department) == .nowhere { return sayThatNobodyHasHandler(kind, in: department) }
    kindQueues.wait(for: JobQueue(department, kind: kind))
    unfilled.insert(department)
  }

  /// The same of one that was released, and that no worker has now.
  func holdForHandler(_ job: LiveJob, _ turn: Turn) throws {
    var job = job
    guard job.progress.apply(.heldBack) == .hold else { return }
    try turn.ledger.hold(job.number, job.progress, notBefore: nil)
    try giveUpPlace(of: job, for: .room, turn)
    try withhold(job.number, job.kind, in: job.department, job.priority, turn)
  }

  private func sayThatNobodyHasHandler(_ kind: JobKind, in department: Department) {
    let queue = JobQueue(department, kind: kind)
    guard missingHandlers.count < Bookkeeper.missingHandlersLimit, missingHandlers.insert(queue).inserted else {
      return
    }
    let lacking = handlers.names(for: kind, in: department).lacking
    let meant = handlers.suggestion(for: kind, in: department).map { "; did you mean \"\($0)\"?" } ?? ""
    logger.warning(
      "no worker has a handler for a kind: its jobs are held until one comes\(meant)",
      metadata: [
        "department": "\(department)", "kind": "\(kind)",
        "workers": "\(lacking.prefix(HandlerStatus.nameLimit).joined(separator: ","))",
      ])
  }

  /// A worker without a handler for a release has acked its message. Somebody else may run it all the same, by another
  /// message of it: the coordinator finds that out as always, and releases it again. That is no attempt, unless it was
  /// started before.
  func take(
    _ returned: ReturnedRelease, _ turn: Turn
  ) throws {
    if let job = released[returned.release.job], job.release == returned.release {
      // What is not confirmed is to be published again already.
      if isQuiet, job.isConfirmed { chores.unpublished.append(job.release) }
      handlers.gaveBack(job.kind, returned.worker)
      // A coordinator that begins anew before that is done publishes it again.
      try turn.ledger.markUnconfirmed([job.number])
      released[job.id]?.isConfirmed = false
      released[job.id]?.isReturned = true
      marks.confirmed.removeAll { $0 == returned.release }
    } else if !voids.contains(returned.release) {
      return
    }
    guard !isQuiet else { return }
    voids.messageGone(returned.release)
    try carryOut(claims.claimForCoordinator(returned.release), turn)
  }

  /// One turn of looking after jobs that are held for a handler, of a kind that a worker has one for now.
  func liftWithheld() throws(LedgerError) {
    try turn { turn in
      guard let next = chores.handlersToLookFor.first else { return }
      guard let kind = next.kind else {
        let kinds = try turn.ledger.withheldKinds(.handler, in: next.department, limit: Chores.kindLimit)
        chores.looked(after: next)
        return kinds.forEach { chores.lookForHandlers(of: $0, in: next.department) }
      }
      if try liftWithheld(of: kind, for: next, turn) { chores.looked(after: next) }
      try fill(turn)
    }
  }

  /// Whether there is nothing more to lift of the kind.
  private func liftWithheld(
    of kind: JobKind, for queue: JobQueue, _ turn: Turn
  ) throws -> Bool {
    let route = route(of: kind, in: queue.department)
    guard route != .nowhere else { return true }
    missingHandlers.remove(queue)
    unfilled.insert(queue.department)
    if route == .kind, !self[desk: queue.department].isOrdered {
      // They go one by one, as there is room in its queue.
      kindQueues.wait(for: queue)
      return true
    }
    var jobs: [WithheldJob] = []
    for level in Priority.levels.reversed() where jobs.count < ReleaseBudget.releases {
      guard let priority = Priority(level) else { continue }
      jobs += try turn.ledger.withheld(
        .handler, in: queue.department, kind: kind, priority: priority, limit: ReleaseBudget.releases - jobs.count)
    }
    for job in jobs { try lift(job, in: queue.department, turn) }
    guard jobs.count < ReleaseBudget.releases else { return false }
    kindQueues.nothingWaits(for: queue)
    return true
  }

  /// A job that was held for a handler is ready, or waits for its turn among the suspects.
  func lift(_ job: WithheldJob, in department: Department, _ turn: Turn) throws {
    // One that ended in this turn is held no longer.
    guard try turn.ledger.withhold(job.number, job.isSuspect ? .suspect : nil) else { return }
    self[desk: department].unhold(.handler, job.priority)
    self[desk: department].hold(job.isSuspect ? .suspect : .room, job.priority)
  }
}

extension [String: Int] {
  /// The departments that a worker of these tellers serves.
  var served: Set<Department> { Set(filter { $0.value > 0 }.keys.compactMap { Department($0) }) }
}
