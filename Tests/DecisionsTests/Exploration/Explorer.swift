@testable import Decisions
@testable import JobModel

/// What an exploration came to.
struct Exploration: Sendable {
  var states = 0
  /// How the job's effect came to happen more often than is promised; nil: it never did.
  var doubleRun: [World.Step]?
  /// How a release came to run after its place was given back, by a worker that was never given up; nil: none did.
  var lateRun: [World.Step]?
  /// How an attempt came to be used up by the interruption of something that had not begun; nil: none was.
  var blamedInnocent: [World.Step]?
  /// How a job that a worker had begun came to be treated as one that nobody had begun; nil: none was.
  var forgottenStart: [World.Step]?
  /// States from which no outcome can be recorded although a worker lives, or no place given back.
  var deadEnds = 0
  /// The shortest way into one of them.
  var deadEnd: [World.Step]?
  /// States that were not looked into, because the job had been granted or released too often.
  var cutShort = 0
  /// Whether the limit of states was reached.
  var isIncomplete = false
}

/// Visits every state that a world can come to, nearest first.
struct Explorer: Sendable {
  /// States beyond this token are not looked into.
  private let maxToken: Int
  /// With as many states an exploration is given up; it is more than any of them has.
  private let stateLimit: Int
  /// Whether it ends with the first run whose place was given back.
  private let watchesPlaces: Bool

  private var known: [Digest: Int32] = [:]
  private var cameFrom: [(state: Int32, step: World.Step)] = []
  private var edges: [(from: Int32, to: Int32)] = []
  /// States that are an end by themselves: an outcome, nobody left, or beyond the limit.
  private var ends: [Bool] = []

  init(maxToken: Int = 8, stateLimit: Int = 5_000_000, watchesPlaces: Bool = true) {
    self.maxToken = maxToken
    self.stateLimit = stateLimit
    self.watchesPlaces = watchesPlaces
  }

  /// Explores everything that a setting allows.
  static func explore(_ setting: Setting, with explorer: Explorer = Explorer()) -> Exploration {
    var explorer = explorer
    return explorer.run(World(setting))
  }

  private mutating func run(_ start: World) -> Exploration {
    var result = Exploration()
    var frontier = [start]
    known[StateWriter.digest(of: start)] = 0
    cameFrom.append((0, .restart))
    ends.append(false)
    var index: Int32 = 0
    while !frontier.isEmpty {
      var next: [World] = []
      for world in frontier {
        if let broken = brokenPromise(in: world) {
          result[keyPath: broken] = way(to: index)
          result.states = known.count
          return result
        }
        if world.progress.token > maxToken { result.cutShort += 1 } else { look(into: world, at: index, &next) }
        index += 1
      }
      frontier = next
      if known.count > stateLimit {
        result.isIncomplete = true
        break
      }
    }
    result.states = known.count
    // What was not looked into may have an end.
    for state in Int(index)..<ends.count { ends[state] = true }
    findDeadEnds(&result)
    return result
  }

  private func brokenPromise(in world: World) -> WritableKeyPath<Exploration, [World.Step]?>? {
    if world.effects > 1 + world.excuses { return \.doubleRun }
    if watchesPlaces, world.hasLateRun { return \.lateRun }
    if world.isInnocentBlamed { return \.blamedInnocent }
    return world.isStartForgotten ? \.forgottenStart : nil
  }

  private mutating func look(into world: World, at index: Int32, _ next: inout [World]) {
    for step in world.steps() {
      var after = world
      after.take(step)
      let fresh = Int32(known.count)
      let digest = StateWriter.digest(of: after)
      let found = known[digest] ?? fresh
      if found == fresh {
        known[digest] = fresh
        cameFrom.append((index, step))
        ends.append(after.isEnd || after.progress.token > maxToken)
        next.append(after)
      }
      edges.append((index, found))
    }
  }

  private func way(to state: Int32) -> [World.Step] {
    var steps: [World.Step] = []
    var state = Int(state)
    while state != 0 {
      steps.append(cameFrom[state].step)
      state = Int(cameFrom[state].state)
    }
    return steps.reversed()
  }
}

// MARK: - Dead ends

extension Explorer {
  /// Goes backwards from every end; what is not reached is dead.
  private func findDeadEnds(_ result: inout Exploration) {
    let (starts, sources) = edgesByTarget()
    var canEnd = ends
    var work = ends.indices.filter { ends[$0] }
    while let state = work.popLast() {
      for edge in starts[state]..<starts[state + 1] where !canEnd[Int(sources[edge])] {
        canEnd[Int(sources[edge])] = true
        work.append(Int(sources[edge]))
      }
    }
    // The states are numbered nearest first.
    for state in canEnd.indices where !canEnd[state] {
      if result.deadEnds == 0 { result.deadEnd = way(to: Int32(state)) }
      result.deadEnds += 1
    }
  }

  /// `sources[starts[n]..<starts[n + 1]]` are the states from which one step leads to n.
  private func edgesByTarget() -> (starts: [Int], sources: [Int32]) {
    var starts = [Int](repeating: 0, count: ends.count + 1)
    for edge in edges { starts[Int(edge.to) + 1] += 1 }
    for state in ends.indices { starts[state + 1] += starts[state] }
    var free = starts
    var sources = [Int32](repeating: 0, count: edges.count)
    for edge in edges {
      sources[free[Int(edge.to)]] = edge.from
      free[Int(edge.to)] += 1
    }
    return (starts, sources)
  }
}

extension World {
  /// Whether nothing more is asked of it.
  var isEnd: Bool { progress.state.isFinal && voidRecords.isEmpty || !workers.contains(where: \.isAlive) }
}
