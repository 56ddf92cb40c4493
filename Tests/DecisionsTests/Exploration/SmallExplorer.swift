/// A world that is small enough to be kept whole: every state it can come to is compared, not a digest of it.
protocol SmallWorld: Hashable, Sendable {
  /// What can happen next, and what comes of it.
  func next() -> [(step: String, world: Self)]
  /// What must never be; nil: nothing is wrong.
  var violation: String? { get }
  /// Whether nothing more is asked of it.
  var isDone: Bool { get }
}

/// What an exploration of a small world came to.
struct SmallExploration: Sendable {
  var states = 0
  var violation: String?
  /// How it came to that.
  var way: [String] = []
  /// States from which nothing that is done can be reached.
  var deadEnds = 0
  /// The shortest way into one of them.
  var deadEnd: [String] = []
  var isIncomplete = false
}

/// Visits every state that a small world can come to, nearest first, and ends with the first violation.
struct SmallExplorer<World: SmallWorld> {
  /// More than any of them has.
  private static var stateLimit: Int { 5_000_000 }

  private var known: [World: Int] = [:]
  private var worlds: [World] = []
  private var cameFrom: [(state: Int, step: String)] = []
  private var before: [[Int]] = []

  static func explore(_ starts: [World]) -> SmallExploration {
    var explorer = SmallExplorer()
    return explorer.run(starts)
  }

  private mutating func run(_ starts: [World]) -> SmallExploration {
    var result = SmallExploration()
    for start in starts { _ = index(of: start, from: -1, by: "") }
    var index = 0
    while index < worlds.count {
      if let violation = worlds[index].violation {
        (result.violation, result.way, result.states) = (violation, way(to: index), worlds.count)
        return result
      }
      for (step, world) in worlds[index].next() {
        let found = self.index(of: world, from: index, by: step)
        before[found].append(index)
      }
      index += 1
      guard worlds.count <= SmallExplorer.stateLimit else {
        result.isIncomplete = true
        break
      }
    }
    result.states = worlds.count
    if !result.isIncomplete { findDeadEnds(&result) }
    return result
  }

  private mutating func index(of world: World, from state: Int, by step: String) -> Int {
    if let index = known[world] { return index }
    known[world] = worlds.count
    worlds.append(world)
    cameFrom.append((state, step))
    before.append([])
    return worlds.count - 1
  }

  private func way(to state: Int) -> [String] {
    var steps: [String] = []
    var state = state
    while cameFrom[state].state >= 0 {
      steps.append(cameFrom[state].step)
      state = cameFrom[state].state
    }
    return steps.reversed()
  }

  /// Goes backwards from every end; what is not reached is dead.
  private func findDeadEnds(_ result: inout SmallExploration) {
    var canEnd = worlds.map(\.isDone)
    var work = worlds.indices.filter { canEnd[$0] }
    while let state = work.popLast() {
      for earlier in before[state] where !canEnd[earlier] {
        canEnd[earlier] = true
        work.append(earlier)
      }
    }
    for state in canEnd.indices where !canEnd[state] {
      if result.deadEnds == 0 { result.deadEnd = way(to: state) }
      result.deadEnds += 1
    }
  }
}
