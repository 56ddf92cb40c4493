import Decisions
import JobModel
import JobTransport
import Ledger

/// What a kind that only some workers have a handler for has of its department's window. What is beyond that is held for
/// a handler, out of the way of other kinds, and goes by its standing as there is room.
extension Bookkeeper {
  /// Whether one more job of the kind may have a place of the shared window. If not, there may be one in the reserve of
  /// its priority.
  func mayShare(_ kind: JobKind, in department: Department, by route: HandlerMap.Route) -> Bool {
    route != .kind || self[desk: department].isOrdered || room(beside: JobQueue(department, kind: kind)) > 0
  }

  /// How many more places of the shared window the queue of a kind may have.
  func room(beside queue: JobQueue) -> Int { max(0, limit(beside: queue) - places(beside: queue)) }

  /// How many it has. What is void keeps its place as long as it may be in the queue.
  func places(beside queue: JobQueue) -> Int { released.beside[queue] + voidBeside[queue] }

  func limit(beside queue: JobQueue) -> Int {
    kindQueues.limit(of: queue, window: self[desk: queue.department].window.limit)
  }

  /// Counts what is in the queue already, however full that is. When its kind has its part, it is counted in the reserve
  /// of its priority; only when that is full too, as shared.
  func countReleased(_ priority: Priority, in queue: JobQueue) -> Window.Slot {
    let isSharing = queue.kind == nil || room(beside: queue) > 0
    return self[desk: queue.department].countReleased(priority, fromShared: isSharing)
  }

  /// Takes a place for a job that was just accepted, unless it would overtake others.
  func takeAtOnce(
    _ kind: JobKind, _ priority: Priority, in department: Department, by route: HandlerMap.Route
  ) -> Window.Slot? {
    if isHeldWithoutPlace(kind, in: department, by: route),
      kindQueues.waiting.contains(JobQueue(department, kind: kind))
    {
      return nil
    }
    return self[desk: department].takeAtOnce(priority, fromShared: mayShare(kind, in: department, by: route))
  }

  /// Whether a job of the kind is held for a handler when it finds no place: ready, it would stand before others that
  /// have one. In an ordered department nothing goes past it anyway, and of a paused one nothing goes.
  func isHeldWithoutPlace(_ kind: JobKind, in department: Department, by route: HandlerMap.Route) -> Bool {
    route == .kind && !self[desk: department].isOrdered && !self[desk: department].isPaused
  }

  /// Jobs that are held for the queues of their kinds and may fit, of each level as many as its room allows.
  func waitingJobs(
    of department: Department, _ turn: Turn
  ) throws -> [(job: WithheldJob, queue: JobQueue)] {
    let desk = self[desk: department]
    guard !desk.isPaused else { return [] }
    var jobs: [(job: WithheldJob, queue: JobQueue)] = []
    for queue in kindQueues.waiting(in: department) {
      guard let kind = queue.kind, route(of: kind, in: department) == .kind else { continue }
      let shared = min(room(beside: queue), desk.window.sharedRoom)
      let before = jobs.count
      for level in Priority.levels {
        guard let priority = Priority(level) else { continue }
        let count = min(shared + desk.window.reserveRoom(for: priority), ReleaseBudget.releases)
        guard count > 0 else { continue }
        jobs += try turn.ledger.withheld(.handler, in: department, kind: kind, priority: priority, limit: count)
          .map { ($0, queue) }
      }
      // With room for every level that is all there is.
      if shared > 0, jobs.count == before { kindQueues.nothingWaits(for: queue) }
    }
    return jobs
  }

  /// Releases a job that was held for the queue of its kind.
  ///
  /// - Returns: Whether others may fit all the same: it took no place.
  func release(
    _ waiting: WithheldJob, to queue: JobQueue, _ turn: Turn
  ) throws -> Bool {
    if waiting.isSuspect {
      try lift(waiting, in: queue.department, turn)
      turn.budget.spend(bytes: 0)
      chores.isToFill = true
      return true
    }
    let isSharing = room(beside: queue) > 0
    // An end in this turn may have ended it, too.
    guard self[desk: queue.department].hasRoom(for: waiting.priority, fromShared: isSharing),
      let job = try turn.ledger.held(waiting.number),
      let slot = self[desk: queue.department].takeUnserved(waiting.priority, fromShared: isSharing)
    else { return false }
    try release(job, slot, turn)
    return released[job.job.id] == nil
  }
}
