import Decisions
import JobModel
import Ledger

@testable import Bookkeeping

/// What the memory of a bookkeeper says, as far as the ledger says the same.
struct BookkeeperMemory: Equatable {
  struct Place: Equatable {
    var ready: [Int]
    var delayed: Int
    var retrying: Int
    var restored: Int
    var dependent: Int
    var unserved: Int
    var suspects: Int
    var void: Int
    var inUse: Int
    var isPaused: Bool
    var gates: [PlanName]
    var group: OrderGroup?
    var finished: [JobState: Int]
    var unsettled: Int
  }

  struct Live: Equatable {
    var number: Int64
    var queue: JobQueue
    var progress: JobProgress
    var priority: Priority
    var order: OrderKey?
    var standing: Standing
    var adoptedBy: WorkerID?
    var reply: ReplyAddress?
  }

  struct Void: Equatable {
    var number: Int64
    var queue: JobQueue
    var priority: Priority
    var token: Int
  }

  var desks: [Department: Place]
  var released: [JobID: Live]
  var void: [ReleaseID: Void]
  var openDependencies: Int

  /// Each thing that differs, for people.
  func differences(from other: BookkeeperMemory) -> [String] {
    differences("desk", desks, other.desks) + differences("job", released, other.released)
      + differences("void release", void, other.void)
      + (openDependencies == other.openDependencies
        ? [] : ["dependencies: \(openDependencies) and \(other.openDependencies)"])
  }

  private func differences<Key: Hashable, Value: Equatable>(
    _ name: String, _ these: [Key: Value], _ those: [Key: Value]
  ) -> [String] {
    Set(these.keys).union(those.keys).filter { these[$0] != those[$0] }.map { key in
      let (one, other) = (these[key].map { "\($0)" } ?? "none", those[key].map { "\($0)" } ?? "none")
      return "\(name) \(key): \(one) in memory, \(other) in the ledger"
    }
  }
}

extension Bookkeeper {
  var memory: BookkeeperMemory {
    BookkeeperMemory(
      // Empty books of a department that is not configured say nothing: a coordinator that starts has none. With a gate, too.
      desks: books.mapValues(BookkeeperMemory.Place.init)
        .filter { configuration.departments[$0.key] != nil || !$0.value.isEmpty },
      released: Dictionary(uniqueKeysWithValues: released.values.map { ($0.id, BookkeeperMemory.Live($0)) }),
      void: voidPlaces.reduce(into: [:]) { void, entry in
        void[entry.key] = BookkeeperMemory.Void(
          number: entry.value.number, queue: entry.value.place.queue, priority: entry.value.place.priority,
          token: voidTokens[entry.key] ?? 0)
      }, openDependencies: openDependencies)
  }
}

extension Bookkeeper {
  /// The queues whose places are counted wrongly. A fresh count of the ledger has other places: it knows no reserve.
  var miscounted: [JobQueue] {
    let all = released.values.map(\.place) + voidPlaces.values.map(\.place)
    let shared = all.filter { $0.isBeside && $0.slot == .shared }
    let counts = Dictionary(shared.map { ($0.queue, 1) }, uniquingKeysWith: +)
    return Set(kindQueues + counts.keys).filter { places(beside: $0) != counts[$0] ?? 0 }
  }
}

extension BookkeeperMemory.Place {
  /// Whether nothing is counted, and nobody has paused the department.
  var isEmpty: Bool {
    var empty = BookkeeperMemory.Place(DepartmentBooks(isOrdered: false, window: 0))
    empty.gates = gates
    return self == empty
  }

  init(_ desk: DepartmentBooks) {
    self.init(
      ready: desk.ready, delayed: desk.delayed, retrying: desk.retrying, restored: desk.restored,
      dependent: desk.dependent,
      unserved: desk.unserved,
      suspects: desk.suspects, void: desk.void, inUse: desk.window.inUse,
      isPaused: desk.isPaused, gates: desk.gates, group: desk.group, finished: desk.finished.filter { $0.value != 0 },
      unsettled: desk.unsettled)
  }
}

extension BookkeeperMemory.Live {
  init(_ job: LiveJob) {
    var progress = job.progress
    // Of this the ledger knows nothing.
    progress.seenRunning = false
    progress.blame = nil
    self.init(
      number: job.number, queue: job.queue, progress: progress, priority: job.priority, order: job.order,
      standing: job.standing, adoptedBy: job.adoptedBy, reply: job.reply)
  }
}

extension Bookkeeper {
  /// It serves through these seconds after a moment.
  func goOn(through seconds: ClosedRange<Int>, after start: Timestamp) {
    for second in seconds { parts.time.served.goOn(at: start + .seconds(second)) }
  }
}
