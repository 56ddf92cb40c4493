package import JobModel

/// All departments: their books, the places of their windows, and the departments that may have room for jobs that they
/// hold. Only this type gives places away and takes them back.
///
/// A kind that only some workers have a handler for has a queue of its own beside its department's, and a part of the
/// shared window. A job beyond that part is held for a handler, out of the way of other kinds.
package final class Departments {
  package private(set) var books: [Department: DepartmentBooks]
  /// The queues beside those of departments.
  package var kindQueues = KindQueues()
  /// The departments whose windows may have room for more jobs than one turn has released.
  package private(set) var unfilled: Set<Department>
  /// A turn has decided something and told nothing, so that nobody would fill on: the chores do.
  package private(set) var isToFillOn = false
  /// The last department that had its turn when there was more to release than one turn may.
  private var lastFilled: Department?
  /// How many places of a shared window the queue of a kind has.
  private var sharedBeside: [JobQueue: Int] = [:]
  /// The closures of all departments.
  private var common: Set<Closure>
  /// The plans that each department waits for, also one that comes into the books later.
  private var shut: [Department: Set<PlanName>] = [:]

  /// The departments of the configuration, with empty books.
  private var configured: [Department: DepartmentBooks]

  /// Departments that hold nothing, and are open.
  package init(_ configured: [Department: DepartmentBooks]) {
    (self.configured, books) = (configured, configured)
    (unfilled, common) = (Set(configured.keys), [])
  }

  /// Forgets all counts and closures: the departments are to be counted anew.
  package func reset() {
    (books, kindQueues, sharedBeside) = (configured, KindQueues(), [:])
    (unfilled, common, shut) = (Set(configured.keys), [], [:])
  }

  /// The books of a department. A department that is not configured keeps its jobs, and releases none.
  package private(set) subscript(department: Department) -> DepartmentBooks {
    get { books[department] ?? unconfigured(department) }
    _modify { yield &books[department, default: unconfigured(department)] }
  }

  /// Whether the department is configured, or was, and still has jobs.
  package func has(_ department: Department) -> Bool { books[department] != nil }

  /// By department: how many jobs a worker takes beyond its tellers; without those that take none.
  package var ahead: [String: Int] {
    books.reduce(into: [:]) { if $1.value.ahead > 0 { $0[$1.key.name] = $1.value.ahead } }
  }

  private func unconfigured(_ department: Department) -> DepartmentBooks {
    var books = DepartmentBooks(isOrdered: false, window: 0)
    books.closures = common.union([.unconfigured]).union(shut[department, default: []].map(Closure.gated))
    return books
  }
}

// MARK: - Another configuration

extension Departments {
  /// These departments are configured from now on, each with empty books. A department that was known keeps what its books
  /// count; a department that is not named any more keeps its jobs, and releases none.
  package func configure(_ departments: [Department: DepartmentBooks]) {
    configured = departments
    for department in books.keys where departments[department] == nil { unconfigure(department) }
    for (department, settings) in departments {
      var present = self[department]
      present.configure(like: settings)
      present.closures.remove(.unconfigured)
      books[department] = present
      mayFill(department)
    }
  }

  private func unconfigure(_ department: Department) {
    self[department].configure(like: unconfigured(department))
    close(department, for: .unconfigured)
    guard self[department].isForgettable else { return }
    books[department] = nil
    filled(department)
  }
}

// MARK: - Places

extension Departments {
  /// Takes a place for a job that was just accepted, unless it would overtake others.
  package func takeAtOnce(
    _ kind: JobKind, _ priority: Priority, in department: Department, by route: HandlerMap.Route
  ) -> WindowPlace? {
    let queue = JobQueue(department, kind: route == .kind ? kind : nil)
    if isHeldWithoutPlace(in: queue), kindQueues.waiting.contains(queue) { return nil }
    let slot = self[department].takeAtOnce(priority, fromShared: mayShare(queue))
    return slot.map { took(WindowPlace(queue: queue, priority: priority, slot: $0)) }
  }

  /// Takes a place for a held job, if there is one. `group`: the job's, in an ordered department.
  package func take(
    _ priority: Priority, heldFor hold: Hold, in queue: JobQueue, group: OrderGroup? = nil
  ) -> WindowPlace? {
    // The turn of a suspect is rare: the part of its kind does not count then.
    let isSharing = hold == .suspect || mayShare(queue)
    guard let slot = self[queue.department].take(priority, heldFor: hold, fromShared: isSharing) else { return nil }
    self[queue.department].join(group)
    return took(WindowPlace(queue: queue, priority: priority, slot: slot, group: group))
  }

  /// Counts a release that is in its queue already, also when the window is full. The release counts as shared while
  /// its kind has room in its part; then in the reserve of its priority; and when the reserve is full, too, as shared
  /// again.
  package func takeRegardless(
    _ priority: Priority, in queue: JobQueue, group: OrderGroup? = nil
  ) -> WindowPlace {
    let isSharing = queue.kind == nil || room(beside: queue) > 0
    let slot = self[queue.department].takeRegardless(priority, fromShared: isSharing)
    self[queue.department].join(group)
    return took(WindowPlace(queue: queue, priority: priority, slot: slot, group: group))
  }

  /// Moves a release to another queue of its department: the release keeps its place.
  package func move(_ place: WindowPlace, to queue: JobQueue) -> WindowPlace {
    if place.queue == queue { return place }
    countBeside(place, -1)
    return took(WindowPlace(queue: queue, priority: place.priority, slot: place.slot, group: place.group))
  }

  /// The job of a place has another turn in the order.
  package func regroup(_ place: WindowPlace, to group: OrderGroup?) -> WindowPlace {
    self[place.queue.department].leave(place.group)
    self[place.queue.department].join(group)
    mayFill(place.queue.department)
    return WindowPlace(queue: place.queue, priority: place.priority, slot: place.slot, group: group)
  }

  /// Takes a place back: other jobs of the department may go.
  package func give(_ place: WindowPlace) {
    self[place.queue.department].give(place.slot, place.priority)
    self[place.queue.department].leave(place.group)
    countBeside(place, -1)
    mayFill(place.queue.department)
  }

  private func took(_ place: WindowPlace) -> WindowPlace {
    countBeside(place, 1)
    return place
  }

  private func countBeside(_ place: WindowPlace, _ count: Int) {
    guard place.isBeside, place.slot == .shared else { return }
    let left = places(beside: place.queue) + count
    sharedBeside[place.queue] = left == 0 ? nil : left
  }
}

// MARK: - Parts of a window

extension Departments {
  /// Whether one more job of the queue may have a place of the shared window. If not, there may be one in the reserve
  /// of its priority. In an ordered department the order decides, so it has no parts.
  package func mayShare(_ queue: JobQueue) -> Bool {
    queue.kind == nil || self[queue.department].isOrdered || room(beside: queue) > 0
  }

  /// How many more places of the shared window the queue of a kind may have.
  package func room(beside queue: JobQueue) -> Int { max(0, limit(beside: queue) - places(beside: queue)) }

  /// How many places of the shared window the queue of a kind has. A void release keeps its place while it may be in
  /// the queue.
  package func places(beside queue: JobQueue) -> Int { sharedBeside[queue] ?? 0 }

  package func limit(beside queue: JobQueue) -> Int {
    kindQueues.limit(of: queue, window: self[queue.department].window.limit)
  }

  /// Whether a job of the queue is held for a handler when it finds no place. Among the ready jobs it would stand
  /// before jobs of other kinds, which have a place. In an ordered department nothing passes the first job anyway, and
  /// a paused department releases nothing.
  package func isHeldWithoutPlace(in queue: JobQueue) -> Bool {
    guard queue.kind != nil else { return false }
    let books = self[queue.department]
    return !books.isOrdered && !books.isPaused && books.gates.isEmpty
  }
}

// MARK: - Held jobs

extension Departments {
  /// A job is held for that reason from now on.
  package func hold(_ hold: Hold, _ priority: Priority, in department: Department, count: Int = 1) {
    self[department].count(count, hold, priority)
    // An ordered department releases nothing at once, but what it holds.
    if self[department].isOrdered { mayFill(department) }
  }

  /// A job is held for that reason no longer. In an ordered department the next one may go.
  package func unhold(_ hold: Hold, _ priority: Priority, in department: Department) {
    self[department].count(-1, hold, priority)
    mayFill(department)
  }

  /// A held job is held for another reason.
  package func rehold(from old: Hold, to new: Hold, _ priority: Priority, in department: Department) {
    self[department].count(-1, old, priority)
    self[department].count(1, new, priority)
  }
}

// MARK: - Other counts

extension Departments {
  /// Adds to the number of jobs that are held since the ledger was restored; a negative number takes away.
  package func countRestored(_ jobs: Int, in department: Department) { self[department].countRestored(jobs) }

  /// Adds to the number of void releases that keep a place; a negative number takes away.
  package func countVoid(_ releases: Int, in department: Department) { self[department].countVoid(releases) }

  package func countFinished(_ state: JobState, in department: Department, count: Int = 1) {
    self[department].countFinished(count, state)
  }

  /// Adds to the number of failed jobs that nobody has looked after; a negative number takes away.
  package func countUnsettled(_ jobs: Int, in department: Department) { self[department].countUnsettled(jobs) }
}

// MARK: - Closing and filling

extension Departments {
  package func close(_ department: Department, for reason: Closure) { self[department].closures.insert(reason) }

  package func open(_ department: Department, from reason: Closure) {
    self[department].closures.remove(reason)
    mayFill(department)
  }

  /// These departments wait until the plans are open, and no others do.
  package func gate(_ shut: [Department: Set<PlanName>]) {
    self.shut = shut
    for department in books.keys {
      let wanted = shut[department] ?? []
      let present = Set(self[department].gates)
      for plan in wanted.subtracting(present) { close(department, for: .gated(plan)) }
      for plan in present.subtracting(wanted) { open(department, from: .gated(plan)) }
    }
  }

  /// Closes every department, also one that comes into the books later.
  package func closeAll(for reason: Closure) {
    common.insert(reason)
    for department in books.keys { close(department, for: reason) }
  }

  package func openAll(from reason: Closure) {
    common.remove(reason)
    for department in books.keys { open(department, from: reason) }
  }

  /// The department may have room for jobs that it holds.
  package func mayFill(_ department: Department) { unfilled.insert(department) }

  /// The open departments that may have something to release, each in its turn.
  package func toFill() -> [Department] {
    let open = unfilled.filter { self[$0].isOpen }
    guard open.count > 1 else { return Array(open) }
    let sorted = open.sorted()
    guard let last = lastFilled else { return sorted }
    return sorted.filter { $0 > last } + sorted.filter { $0 <= last }
  }

  /// The department's window is as full as it can be.
  package func filled(_ department: Department) { unfilled.remove(department) }

  /// The chores begin another turn, in which windows are filled.
  package func fillOn() { isToFillOn = true }
  package func takeUpFilling() { isToFillOn = false }

  /// A turn had released as much as it may when it came to this department. The next turn begins behind it.
  package func interruptedFilling(after department: Department?) { lastFilled = department }
}
