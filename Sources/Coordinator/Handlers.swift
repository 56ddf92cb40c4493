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
  func expectHandlers(of workers: [WorkerRecord]) {
    handlers = HandlerMap()
    shares = [:]
    kindQueues.beginSession()
    for worker in workers {
      handlers.serve(worker.id, name: worker.name, departments: worker.tellers.served, kinds: worker.kinds)
    }
    for (department, desk) in desks where desk.unserved > 0 { chores.lookForHandlers(of: nil, in: department) }
  }

  /// A worker says which kinds it has handlers for: what was held for one of them goes on.
  func noteHandlers(of presence: Presence) {
    let departments = presence.tellers.served
    guard handlers.serve(presence.worker, name: presence.name, departments: departments, kinds: presence.kinds) else {
      return
    }
    for department in departments where self[desk: department].unserved > 0 {
      guard let kinds = presence.kinds else {
        chores.lookForHandlers(of: nil, in: department)
        continue
      }
      for kind in kinds { chores.lookForHandlers(of: kind, in: department) }
    }
  }

  func forgetHandlers(of worker: WorkerID) {
    handlers.leave(worker)
    shares[worker] = nil
  }

  /// A job that is ready, or a suspect whose turn it is, and whose kind nobody in its department has a handler for, is
  /// held from now on.
  func withhold(
    _ number: Int64, _ kind: JobKind, in department: Department, _ priority: Priority, from hold: Hold = .room,
    _ transaction: LedgerTransaction
  ) throws {
    guard try transaction.withhold(number, .handler) else { return }
    self[desk: department].unhold(hold, priority)
    self[desk: department].hold(.handler, priority)
    sayThatNobodyHasHandler(kind, in: department)
  }

  /// The same of one that was released, and that no worker has now.
  func holdForHandler(_ job: LiveJob, _ transaction: LedgerTransaction) throws {
    var job = job
    guard job.progress.apply(.heldBack) == .hold else { return }
    try transaction.hold(job.number, job.progress, notBefore: nil)
    try giveUpPlace(of: job, for: .room, transaction)
    try withhold(job.number, job.kind, in: job.department, job.priority, transaction)
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
    _ returned: ReturnedRelease, _ transaction: LedgerTransaction, _ outgoing: inout [Outgoing]
  ) throws {
    if let job = released[returned.release.job], job.release == returned.release {
      handlers.gaveBack(job.kind, returned.worker)
      // A coordinator that begins anew before that is done publishes it again.
      try transaction.markUnconfirmed([job.number])
      released[job.id]?.isConfirmed = false
      released[job.id]?.isReturned = true
      marks.confirmed.removeAll { $0 == returned.release }
    } else if !voids.contains(returned.release) {
      return
    }
    guard !isQuiet else { return }
    voids.messageGone(returned.release)
    try carryOut(claims.claimForCoordinator(returned.release), transaction, &outgoing)
  }

  /// One turn of looking after jobs that are held for a handler, of a kind that a worker has one for now.
  func liftWithheld() throws(LedgerError) {
    try turn { transaction, outgoing in
      guard let next = chores.handlersToLookFor.first else { return }
      guard let kind = next.kind else {
        let kinds = try transaction.withheldKinds(.handler, in: next.department, limit: Chores.kindLimit)
        chores.looked(after: next)
        return kinds.forEach { chores.lookForHandlers(of: $0, in: next.department) }
      }
      let isServed = route(of: kind, in: next.department) != .nowhere
      let jobs = isServed ? try withheldJobs(of: kind, in: next.department, transaction) : []
      for job in jobs {
        try transaction.withhold(job.number, job.isSuspect ? .suspect : nil)
        self[desk: next.department].unhold(.handler, job.priority)
        self[desk: next.department].hold(job.isSuspect ? .suspect : .room, job.priority)
      }
      if !jobs.isEmpty { unfilled.insert(next.department) }
      if jobs.count < Bookkeeper.fillLimit { chores.looked(after: next) }
      if isServed { missingHandlers.remove(next) }
      try fill(transaction, &outgoing)
    }
  }

  private func withheldJobs(
    of kind: JobKind, in department: Department, _ transaction: LedgerTransaction
  ) throws -> [WithheldJob] {
    try transaction.withheld(.handler, in: department, kind: kind, limit: Bookkeeper.fillLimit)
  }
}

extension [String: Int] {
  /// The departments that a worker of these tellers serves.
  var served: Set<Department> { Set(filter { $0.value > 0 }.keys.compactMap { Department($0) }) }
}
