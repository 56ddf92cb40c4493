import Decisions
import JobModel
import Ledger

/// One department as the coordinator sees it: what is released, what is held and why, what is done. The pure half of
/// releasing.
struct Desk: Hashable, Sendable {
  let isOrdered: Bool
  /// How many jobs may run at once, in all workers together; nil: as many as there are tellers.
  let cap: Int?
  /// Nothing is released.
  var isPaused = false
  private(set) var window: Window
  /// Those that only wait for room, per priority level.
  private(set) var ready = [Int](repeating: 0, count: Priority.levels.count)
  /// Those that are held until a time.
  private(set) var delayed = 0
  /// Those that are held until other jobs have ended, and not until a time as well.
  private(set) var dependent = 0
  /// Those that are held because no worker of the department has a handler for their kind, or those that have one were
  /// given as many as may be.
  private(set) var unserved = 0
  /// Those that are held because they may have ended workers, and run one at a time.
  private(set) var suspects = 0
  /// Releases that are void and keep their place.
  private(set) var void = 0
  private(set) var finished: [JobState: Int] = [:]

  init(isOrdered: Bool, window limit: Int, cap: Int? = nil) {
    self.isOrdered = isOrdered
    self.cap = cap
    window = isOrdered ? .ordered : cap.map { Window(limit: limit, cap: $0) } ?? Window(limit: limit)
  }

  var readyCount: Int { ready.reduce(0, +) }
  var heldCount: Int { readyCount + delayed + dependent + unserved + suspects }
  /// Released and unfinished, without those that are void.
  var releasedCount: Int { window.inUse - void }

  /// Takes a place for a job that was just accepted, unless others of its level wait already: it would overtake them.
  mutating func takeAtOnce(_ priority: Priority, fromShared: Bool = true) -> Window.Slot? {
    let ahead = isOrdered ? heldCount : ready[priority.level]
    return ahead == 0 && !isPaused ? window.take(priority, fromShared: fromShared) : nil
  }

  /// Takes a place for a job that is ready.
  mutating func takeReady(_ priority: Priority, fromShared: Bool = true) -> Window.Slot? {
    guard let slot = window.take(priority, fromShared: fromShared) else { return nil }
    ready[priority.level] -= 1
    return slot
  }

  /// Takes a place for a job that was held for a handler.
  mutating func takeUnserved(_ priority: Priority, fromShared: Bool) -> Window.Slot? {
    guard !isPaused, let slot = window.take(priority, fromShared: fromShared) else { return nil }
    unserved -= 1
    return slot
  }

  /// Whether a suspect could be released, whatever its priority is.
  var hasRoomForSuspect: Bool { !isPaused && window.inUse < window.most }

  /// Takes a place for the next suspect of the line.
  mutating func takeSuspect(_ priority: Priority) -> Window.Slot? {
    guard let slot = window.take(priority) else { return nil }
    suspects -= 1
    return slot
  }

  /// How many ready jobs of a level could be released now: those that fit into the shared window, which goes to whoever
  /// stands first, and into the level's reserve.
  func room(for priority: Priority) -> Int {
    guard ready[priority.level] > 0, !isPaused else { return 0 }
    return min(ready[priority.level], window.sharedRoom + window.reserveRoom(for: priority))
  }

  func hasRoom(for priority: Priority, fromShared: Bool) -> Bool {
    !isPaused && (fromShared ? window.hasRoom(for: priority) : window.reserveRoom(for: priority) > 0)
  }

  var hasRoomForReady: Bool {
    Priority.levels.contains { level in Priority(level).map { room(for: $0) > 0 } ?? false }
  }

  /// A job is held from now on, or is held for another reason than before.
  mutating func hold(_ hold: Hold, _ priority: Priority, count: Int = 1) {
    switch hold {
    case .room: ready[priority.level] += count
    case .time: delayed += count
    case .jobs: dependent += count
    case .handler: unserved += count
    case .suspect: suspects += count
    }
  }

  /// A job is no longer held for that reason.
  mutating func unhold(_ hold: Hold, _ priority: Priority) { self.hold(hold, priority, count: -1) }

  mutating func countReleased(_ priority: Priority, fromShared: Bool = true) -> Window.Slot {
    window.takeRegardless(priority, fromShared: fromShared)
  }
  mutating func give(_ slot: Window.Slot, _ priority: Priority) { window.give(slot, priority) }
  mutating func countVoid(_ count: Int) { void += count }
  mutating func finish(_ state: JobState, count: Int = 1) { finished[state, default: 0] += count }
}

/// What keeps a job from being released, as its department counts it; the first that applies.
enum Hold: Hashable, Sendable {
  /// It is scheduled, or is to be tried again.
  case time
  /// Jobs that it waits for have not ended.
  case jobs
  /// No worker of its department has a handler for its kind, or those that have one were given as many as may be.
  case handler
  /// It may have ended workers, and waits for its turn.
  case suspect
  /// Its department has no room, is paused, or serves others first.
  case room

  init(notBefore: Timestamp?, openDependencies: Int, withheld: Withheld? = nil) {
    switch withheld {
    case _ where notBefore != nil: self = .time
    case _ where openDependencies > 0: self = .jobs
    case .handler: self = .handler
    case .suspect: self = .suspect
    case nil: self = .room
    }
  }
}

extension Job {
  /// Why it is held, if it is.
  var hold: Hold { Hold(notBefore: notBefore, openDependencies: openDependencies, withheld: withheld) }
}

extension NewJob {
  /// Why it is held, if it is.
  var hold: Hold { Hold(notBefore: notBefore, openDependencies: dependencies.count) }
}
