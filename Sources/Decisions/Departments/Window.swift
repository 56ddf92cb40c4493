package import JobModel

/// How many jobs of a department may be released and unfinished: a shared window, and beyond it a small reserve for
/// each priority, so that an urgent job finds room when the window is full of others.
package struct Window: Hashable, Sendable {
  /// What a released job counts against.
  package enum Slot: Int, Hashable, Sendable {
    case shared
    case reserve
  }

  package let limit: Int
  /// Per priority level, beyond the shared limit.
  package let reserve: Int
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

  /// A window that is exact: no more than `cap` jobs are released and unfinished, so that no more run at once.
  package init(limit: Int, cap: Int) {
    self.init(limit: min(limit, cap), reserve: 0)
  }

  /// One job at a time: an ordered department.
  package static let ordered = Window(limit: 1, reserve: 0)

  package var inUse: Int { sharedInUse + reserveInUse.reduce(0, +) }
  package var sharedRoom: Int { max(0, limit - sharedInUse) }

  /// The most jobs, with all reserves in use.
  package var most: Int { limit + reserve * Priority.levels.count }

  /// How many more of that priority fit into its reserve. What is counted regardless may be more than the shared window
  /// holds: as long as it is, the reserves are that much smaller together.
  package func reserveRoom(for priority: Priority) -> Int {
    max(0, min(reserve - reserveInUse[priority.level], most - inUse))
  }

  package func hasRoom(for priority: Priority) -> Bool { sharedRoom > 0 || reserveRoom(for: priority) > 0 }

  /// Takes a place for a job of that priority; nil when there is none. Without `fromShared` only in its reserve.
  package mutating func take(_ priority: Priority, fromShared: Bool = true) -> Slot? {
    if fromShared, sharedRoom > 0 {
      sharedInUse += 1
      return .shared
    }
    guard reserveRoom(for: priority) > 0 else { return nil }
    reserveInUse[priority.level] += 1
    return .reserve
  }

  /// Counts a job that is released already, however full the window is: after a restart with a smaller limit. Without
  /// `fromShared` it is counted in its reserve as long as that has room.
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
