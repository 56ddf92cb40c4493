package import JobModel

/// How many jobs of a department may be released and unfinished: a shared window, and beyond it a small reserve for
/// each priority, so that an urgent job finds room when the window is full of others.
package struct Window: Hashable, Sendable {
  /// The part of the window in which a released job is counted.
  package enum Slot: Int, Hashable, Sendable {
    case shared
    case reserve
  }

  package private(set) var limit: Int
  /// Per priority level, beyond the shared limit.
  package private(set) var reserve: Int
  package private(set) var sharedInUse = 0
  package private(set) var reserveInUse = [Int](repeating: 0, count: Priority.levels.count)

  /// A department's default: enough to keep hundreds of tellers busy, little enough for the broker's memory.
  package static let defaultLimit = 2_000

  /// A window with a reserve of a tenth for each level.
  package init(limit: Int) {
    self.limit = limit
    self.reserve = max(1, limit / 10)
  }

  private init(limit: Int, reserve: Int) {
    self.limit = limit
    self.reserve = reserve
  }

  /// A window without reserves: no more than `cap` jobs are released and unfinished, so no more run at once.
  package init(limit: Int, cap: Int) {
    self.init(limit: min(limit, cap), reserve: 0)
  }

  /// An ordered department: so many steps of one rank are released at once. What is of another rank waits.
  package static let ordered = Window(limit: 100, reserve: 0)

  package var inUse: Int { sharedInUse + reserveInUse.reduce(0, +) }
  /// A window that has become smaller may have more jobs in its reserves than these hold now: so many places fewer are left
  /// in the shared window.
  package var sharedRoom: Int { max(0, min(limit - sharedInUse, most - inUse)) }

  /// The most jobs, with all reserves in use.
  package var most: Int { limit + reserve * Priority.levels.count }

  /// How many more jobs of the priority fit into its reserve. With a smaller limit than before, more jobs may be counted
  /// than the shared window holds: then all reserves together are smaller by that number.
  package func reserveRoom(for priority: Priority) -> Int {
    max(0, min(reserve - reserveInUse[priority.level], most - inUse))
  }

  package func hasRoom(for priority: Priority) -> Bool { sharedRoom > 0 || reserveRoom(for: priority) > 0 }

  /// The window has the limits of another one from now on. Jobs that are counted keep their places.
  mutating func resize(like other: Window) { (limit, reserve) = (other.limit, other.reserve) }

  /// Takes a place for a job of the priority; nil: there is none. Without `fromShared` only the reserve is looked at.
  package mutating func take(_ priority: Priority, fromShared: Bool = true) -> Slot? {
    if fromShared, sharedRoom > 0 {
      sharedInUse += 1
      return .shared
    }
    guard reserveRoom(for: priority) > 0 else { return nil }
    reserveInUse[priority.level] += 1
    return .reserve
  }

  /// Counts a job that is released already, also when the window is full. Without `fromShared` the job counts in the
  /// reserve of its priority while that has room.
  package mutating func takeRegardless(_ priority: Priority, fromShared: Bool = true) -> Slot {
    if let slot = take(priority, fromShared: fromShared) { return slot }
    sharedInUse += 1
    return .shared
  }

  /// Gives a place back.
  package mutating func give(_ slot: Slot, _ priority: Priority) {
    switch slot {
    case .shared: sharedInUse -= 1
    case .reserve: reserveInUse[priority.level] -= 1
    }
  }
}
