import Decisions
import JobModel
import Ledger

/// Releases held jobs into every window that has room: at the end of each turn, as much as one turn may.
///
///     suspects, one of each line ─▶ ordered departments: the first group in order
///                                └▶ others: by standing, as the shared window and the reserves allow
struct Filling {
  let departments: Departments
  let releases: Releases
  let holding: Holding
  let releasing: Releasing
  let lines: SuspectLines

  func fill(_ turn: Turn) throws {
    guard turn.budget.hasRoom else { return }
    try releaseSuspects(turn)
    let departments = self.departments.toFill()
    var previous: Department?
    for department in departments {
      let wasEnough =
        self.departments[department].isOrdered
        ? try releaseNextInOrder(of: department, turn) : try releaseByStanding(of: department, turn)
      if wasEnough { self.departments.filled(department) }
      guard turn.budget.hasRoom else {
        // The next turn begins behind this one if it had the whole turn, and with this one if it was cut short.
        let hadTurn = wasEnough || department == departments.first
        return self.departments.interruptedFilling(after: hadTurn ? department : previous)
      }
      previous = department
    }
  }

  /// Releases the next suspect of each line whose turn it is.
  private func releaseSuspects(_ turn: Turn) throws {
    let now = releasing.time.monotonic
    for department in lines.turns(at: now) where lines.isTurn(of: department, at: now) {
      guard let held = try nextSuspect(of: department, turn) else { continue }
      guard let queue = queue(of: held.job.kind, in: department) else {
        try holding.holdForHandler(
          held.job.number, held.job.kind, in: department, held.job.priority, from: .suspect, turn)
        // The next suspect of the line may go.
        departments.fillOn()
        continue
      }
      guard
        let place = departments.take(
          held.job.priority, heldFor: .suspect, in: queue, group: held.job.order?.group)
      else { continue }
      _ = try release(held, place, turn)
    }
  }

  /// In an ordered department no suspect overtakes the group that comes next.
  private func nextSuspect(of department: Department, _ turn: Turn) throws -> HeldJob? {
    guard departments[department].isOrdered else { return try turn.ledger.nextSuspect(of: department) }
    return try nextGroup(of: department, turn).flatMap { try turn.ledger.nextSuspect(of: $0, in: department) }
  }

  /// An ordered department releases one group at a time: the first one that has not ended, all of whose jobs run beside
  /// each other. While one of them waits for its next attempt, all groups behind it wait.
  ///
  /// - Returns: Whether the department has nothing more to release now.
  private func releaseNextInOrder(of department: Department, _ turn: Turn) throws -> Bool {
    guard departments[department].readyCount > 0, let group = try nextGroup(of: department, turn) else { return true }
    let room = min(departments[department].window.sharedRoom, ReleaseBudget.releases)
    var isToRepeat = false
    for number in try turn.ledger.readyJobs(of: group, in: department, limit: room) {
      guard turn.budget.hasRoom else { return false }
      guard let held = try turn.ledger.held(number) else { continue }
      if try !releaseInOrder(held, group, turn) { isToRepeat = true }
    }
    return turn.budget.hasRoom && !isToRepeat
  }

  /// The first group of an ordered department, if its jobs may be released now.
  private func nextGroup(of department: Department, _ turn: Turn) throws -> OrderGroup? {
    guard let group = try turn.ledger.firstGroup(of: department), departments[department].mayJoin(group) else {
      return nil
    }
    return group
  }

  /// - Returns: Whether the job goes on, or waits; if it came too late, and has ended, the next group may go.
  private func releaseInOrder(_ held: HeldJob, _ group: OrderGroup, _ turn: Turn) throws -> Bool {
    guard let queue = queue(of: held.job.kind, in: held.job.department) else {
      turn.budget.spend(bytes: 0)
      try holding.holdForHandler(held.job.number, held.job.kind, in: held.job.department, held.job.priority, turn)
      return true
    }
    guard let place = departments.take(held.job.priority, heldFor: .room, in: queue, group: group) else { return true }
    return try release(held, place, turn)
  }

  /// - Returns: Whether the window is now as full as it can be.
  private func releaseByStanding(of department: Department, _ turn: Turn) throws -> Bool {
    var isToRepeat = true
    while isToRepeat {
      isToRepeat = false
      for candidate in try candidates(of: department, turn) {
        guard turn.budget.hasRoom else { return false }
        let tookNone =
          try candidate.queue.map { try release(candidate.job, to: $0, turn) }
          ?? release(candidate.job, of: department, turn)
        if tookNone { isToRepeat = true }
      }
    }
    // With the last candidate the turn may have had its limit.
    return turn.budget.hasRoom && !departments[department].hasRoomForReady
  }

  /// - Returns: Whether the job took no place, so that others may fit.
  private func release(_ ready: Candidate, of department: Department, _ turn: Turn) throws -> Bool {
    // Only a job that fits is read with its payload.
    guard departments[department].room(for: ready.priority) > 0, let held = try turn.ledger.held(ready.number) else {
      return false
    }
    if let queue = queue(of: held.job.kind, in: department),
      let place = departments.take(ready.priority, heldFor: .room, in: queue)
    {
      _ = try release(held, place, turn)
      return false
    }
    try holding.holdForHandler(held.job.number, held.job.kind, in: department, held.job.priority, turn)
    turn.budget.spend(bytes: 0)
    departments.fillOn()
    return true
  }

  /// Releases a job that was held for the queue of its kind.
  ///
  /// - Returns: Whether the job took no place, so that others may fit.
  private func release(_ waiting: Candidate, to queue: JobQueue, _ turn: Turn) throws -> Bool {
    if waiting.isSuspect {
      try holding.lift(waiting, in: queue.department, turn)
      turn.budget.spend(bytes: 0)
      departments.fillOn()
      return true
    }
    // The job may have ended in this turn.
    let isSharing = departments.room(beside: queue) > 0
    guard departments[queue.department].hasRoom(for: waiting.priority, fromShared: isSharing),
      let held = try turn.ledger.held(waiting.number),
      let place = departments.take(waiting.priority, heldFor: .handler, in: queue)
    else { return false }
    return try !release(held, place, turn)
  }

  /// - Returns: Whether the job is released; else it came too late, and has ended.
  private func release(_ held: HeldJob, _ place: WindowPlace, _ turn: Turn) throws -> Bool {
    try releasing.release(held, place, turn)
    if releases[held.job.id] != nil { return true }
    departments.fillOn()
    return false
  }

  /// Where a job of the kind goes; nil: nowhere.
  private func queue(of kind: JobKind, in department: Department) -> JobQueue? {
    let route = holding.route(of: kind, in: department)
    return route == .nowhere ? nil : JobQueue(department, kind: route == .kind ? kind : nil)
  }
}

// MARK: - Candidates

extension Filling {
  /// A held job that may be released. With a queue: the job is held for that queue, the queue of its kind.
  private typealias Choice = (job: Candidate, queue: JobQueue?)

  /// The jobs that may be released, by standing.
  private func candidates(of department: Department, _ turn: Turn) throws -> [Choice] {
    let waiting = try waitingJobs(of: department, turn)
    return (try readyJobs(of: department, turn) + waiting).sorted { $0.job.standing < $1.job.standing }
  }

  /// The ready jobs that may fit: of each level as many as its room allows.
  private func readyJobs(of department: Department, _ turn: Turn) throws -> [Choice] {
    try Priority.all.flatMap { priority in
      let count = min(departments[department].room(for: priority), ReleaseBudget.releases)
      guard count > 0 else { return [Choice]() }
      return try turn.ledger.ready(in: department, priority: priority, limit: count).map { ($0, nil) }
    }
  }

  /// Jobs that are held for the queues of their kinds and may fit, of each level as many as its room allows.
  private func waitingJobs(of department: Department, _ turn: Turn) throws -> [Choice] {
    let books = departments[department]
    var jobs: [Choice] = []
    for queue in departments.kindQueues.waiting(in: department) {
      guard let kind = queue.kind, holding.route(of: kind, in: department) == .kind else { continue }
      let shared = min(departments.room(beside: queue), books.window.sharedRoom)
      let before = jobs.count
      for priority in Priority.all {
        let count = min(shared + books.window.reserveRoom(for: priority), ReleaseBudget.releases)
        guard count > 0 else { continue }
        jobs += try turn.ledger.withheld(.handler, in: department, kind: kind, priority: priority, limit: count)
          .map { ($0, queue) }
      }
      // With room for every level that is all there is.
      if shared > 0, jobs.count == before { departments.kindQueues.nothingWaits(for: queue) }
    }
    return jobs
  }
}
