import JobModel

/// One department as the coordinator sees it: what is released, what is held, what is done. The pure half of releasing.
struct Desk: Hashable, Sendable {
  let isOrdered: Bool
  private(set) var window: Window
  /// Per priority level; in an ordered department all that are held, whatever their level.
  private(set) var held = [Int](repeating: 0, count: Priority.levels.count)
  private(set) var finished: [JobState: Int] = [:]

  init(isOrdered: Bool, window limit: Int) {
    self.isOrdered = isOrdered
    window = isOrdered ? .ordered : Window(limit: limit)
  }

  var heldCount: Int { held.reduce(0, +) }
  var releasedCount: Int { window.inUse }

  /// Takes a place for a job that was just accepted, unless others of its level wait already: it would overtake them.
  mutating func takeAtOnce(_ priority: Priority) -> Window.Slot? {
    let ahead = isOrdered ? heldCount : held[priority.level]
    return ahead == 0 ? window.take(priority) : nil
  }

  /// Takes a place for a job that is held.
  mutating func takeHeld(_ priority: Priority) -> Window.Slot? {
    guard let slot = window.take(priority) else { return nil }
    held[priority.level] -= 1
    return slot
  }

  /// How many held jobs of each level could be released now, most urgent level first. Levels whose jobs fit only into
  /// their reserve are told apart, since the shared room goes to whoever stands first.
  func room(for priority: Priority) -> Int {
    guard held[priority.level] > 0 else { return 0 }
    return min(held[priority.level], window.sharedRoom + window.reserveRoom(for: priority))
  }

  var hasRoomForHeld: Bool {
    Priority.levels.contains { level in Priority(level).map { room(for: $0) > 0 } ?? false }
  }

  mutating func hold(_ priority: Priority, count: Int = 1) { held[priority.level] += count }
  mutating func unhold(_ priority: Priority) { held[priority.level] -= 1 }
  mutating func countReleased(_ priority: Priority) -> Window.Slot { window.takeRegardless(priority) }
  mutating func give(_ slot: Window.Slot, _ priority: Priority) { window.give(slot, priority) }
  mutating func finish(_ state: JobState, count: Int = 1) { finished[state, default: 0] += count }
}
