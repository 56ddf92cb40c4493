import JobModel

/// One department in one worker: its tellers, what is in their hands, and the consumers that bring them work.
///
/// The prefetch of a consumer cannot be changed, only replaced: the consumer is cancelled, and what it has delivered
/// stays in the worker's hands. Those deliveries are in no prefetch any more, and neither is a job that is adopted; each
/// takes one off what may be consumed, until it has ended. So nothing is delivered that no teller is free for, however the
/// tellers were changed, but for what an earlier connection left behind, and that only for a while.
///
/// Beside the department's queue there may be queues of kinds that not all of its workers have a handler for. The
/// coordinator says how many tellers serve each; the prefetch over all of them stays the number of tellers.
struct DepartmentPool: Sendable {
  /// What a teller's release was delivered by.
  private enum Source: Hashable {
    /// In that consumer's prefetch, while the consumer lives.
    case consumer(String)
    /// An earlier connection. The broker hands it out again, and then it is in a prefetch.
    case earlier
    /// An earlier connection, and it has not come back for a while: somebody else has it, or nobody any more.
    case missing
    /// Nothing any more: it is adopted.
    case adopted
  }

  private struct Consumer {
    /// Of which kind's queue; nil: the department's own.
    let kind: JobKind?
    let prefetch: Int
    /// It is being cancelled: nothing of it is started.
    var isLeaving = false
  }

  /// What is to be done next about the consumers.
  enum Step: Hashable, Sendable {
    case cancel(String)
    /// `kind`: of that kind's queue; nil: the department's own.
    case consume(Department, kind: JobKind? = nil, tag: String, prefetch: Int)
  }

  let department: Department
  /// The worker's own number, for when nobody wants another.
  let ownTellers: Int
  private(set) var tellers: Int
  private(set) var isPaused = false
  /// How many tellers serve the queue of a kind, and not the department's own.
  private(set) var beside: [JobKind: Int] = [:]
  private var busy: [ReleaseID: Source] = [:]
  private var waiting: [Tellers.Waiting] = []
  private var consumers: [String: Consumer] = [:]
  private var lastConsumer = 0

  init(_ department: Department, tellers: Int) {
    self.department = department
    ownTellers = tellers
    self.tellers = tellers
  }

  var hasWaiting: Bool { !waiting.isEmpty }
  var hasConsumers: Bool { !consumers.isEmpty }
  func has(_ consumer: String) -> Bool { consumers[consumer] != nil }

  /// Whether what a consumer delivers may be started.
  func serves(_ consumer: String) -> Bool { !isPaused && isLive(consumer) }

  private func isLive(_ consumer: String) -> Bool { consumers[consumer]?.isLeaving == false }

  /// What it is to be from now on; `tellers` is not negative.
  mutating func staff(tellers: Int, isPaused: Bool, beside: [JobKind: Int] = [:]) {
    self.tellers = tellers
    self.isPaused = isPaused
    self.beside = beside.filter { $0.value > 0 }
  }

  /// The connection is lost, and with it everything that is not in a teller's hands.
  mutating func disconnected() {
    consumers = [:]
    waiting = []
    for (release, source) in busy where source != .adopted { busy[release] = .earlier }
  }
}

// Tellers.
extension DepartmentPool {
  /// Takes a teller for a release, if one is free or the release has one already.
  mutating func take(_ release: ReleaseID, from consumer: String) -> Bool {
    if busy[release] != nil { return true }
    guard busy.count < tellers else { return false }
    busy[release] = .consumer(consumer)
    return true
  }

  /// What was delivered on an earlier connection has come again.
  mutating func takeAgain(_ release: ReleaseID, from consumer: String) {
    guard busy[release] != nil else { return }
    busy[release] = .consumer(consumer)
  }

  /// What an earlier connection delivered, and has not come again by now, is expected no longer: nothing is delivered for
  /// its tellers before they are free. What waits for them goes back to its queue with the consumer that is too large.
  mutating func expectNothingAgain() {
    for (release, source) in busy where source == .earlier { busy[release] = .missing }
  }

  /// Its message is to be acked, and it keeps its teller.
  mutating func adopt(_ release: ReleaseID) {
    guard busy[release] != nil else { return }
    busy[release] = .adopted
  }

  /// Returns whether the department is to be consumed, and is not.
  @discardableResult
  mutating func free(_ release: ReleaseID) -> Bool {
    busy[release] = nil
    return isUnattended
  }

  mutating func wait(_ delivery: Tellers.Waiting) {
    waiting.append(delivery)
  }

  /// The first delivery that waits and may be started, if a teller is free. The teller is not taken yet.
  mutating func nextToServe() -> Tellers.Waiting? {
    guard busy.count < tellers, let index = waiting.firstIndex(where: { serves($0.consumer) }) else { return nil }
    return waiting.remove(at: index)
  }
}

// Consumers.
extension DepartmentPool {
  /// What to do next about the consumers. A consumer to be made counts as made, one to be cancelled is there until it has
  /// `ended`.
  ///
  /// - Parameter isOpen: whether anything is to be consumed at all.
  /// - Returns: nil when they are as they should be.
  mutating func nextStep(isOpen: Bool) -> Step? {
    let held = heldByConsumer
    let wanted = isOpen ? self.wanted(held) : [:]
    // All that are too large go first: the prefetch of all together must never be more than the tellers.
    for queue in queues where capacity(of: queue) > wanted[queue, default: 0] {
      return cancel(whicheverHasRoom(queue, held))
    }
    for queue in queues {
      let missing = wanted[queue, default: 0] - capacity(of: queue)
      if missing > 0 { return consume(queue, prefetch: missing) }
    }
    return nil
  }

  private mutating func consume(_ kind: JobKind?, prefetch: Int) -> Step {
    // Never a tag that was used before: the broker would count the acks of the earlier consumer's deliveries into the
    // prefetch of the new one.
    lastConsumer += 1
    let tag = WorkerLink.tag(of: department, number: lastConsumer)
    consumers[tag] = Consumer(kind: kind, prefetch: prefetch)
    return .consume(department, kind: kind, tag: tag, prefetch: prefetch)
  }

  /// The department's own queue (nil), and those of kinds that are served or still consumed; in a fixed order.
  private var queues: [JobKind?] {
    let kinds = consumers.values.reduce(into: Set(beside.keys)) { kinds, consumer in
      if let kind = consumer.kind { kinds.insert(kind) }
    }
    return [nil] + kinds.sorted()
  }

  private func capacity(of queue: JobKind?) -> Int {
    consumers.values.reduce(0) { $0 + ($1.kind == queue && !$1.isLeaving ? $1.prefetch : 0) }
  }

  /// A consumer is cancelled: nothing more comes of it. Returns the deliveries of it that wait, to be given back.
  mutating func ended(_ consumer: String) -> [UInt64] {
    consumers[consumer] = nil
    let tags = waiting.filter { $0.consumer == consumer }.map(\.tag)
    waiting.removeAll { $0.consumer == consumer }
    return tags
  }

  /// Whether one of its queues is to be consumed, and is not.
  var isUnattended: Bool {
    guard !isPaused, tellers > 0 else { return false }
    // Asked after each job: what tellers hold is only counted where a queue has no consumer.
    let own: JobKind? = nil
    guard capacity(of: own) == 0 || beside.keys.contains(where: { capacity(of: $0) == 0 }) else { return false }
    return wanted(heldByConsumer).contains { $0.value > 0 && capacity(of: $0.key) == 0 }
  }

  /// How much is to be delivered at once: one for each teller that has nothing from elsewhere. Kinds have theirs first;
  /// the department's queue has what is left.
  private func wanted(_ held: [String: Int]) -> [JobKind?: Int] {
    let outside = busy.count - held.values.reduce(0, +) - expectedAgain
    var left = isPaused ? 0 : max(0, tellers - outside)
    var wanted: [JobKind?: Int] = [:]
    for (kind, share) in beside.sorted(by: { $0.key < $1.key }) {
      wanted[kind] = min(share, left)
      left -= min(share, left)
    }
    let own: JobKind? = nil
    wanted[own] = left
    return wanted
  }

  /// How much of the prefetch of each living consumer is in tellers' hands.
  private var heldByConsumer: [String: Int] {
    busy.values.reduce(into: [:]) { held, source in
      if case .consumer(let tag) = source, isLive(tag) { held[tag, default: 0] += 1 }
    }
  }

  private var expectedAgain: Int { busy.values.count { $0 == .earlier } }

  /// The consumer of a queue whose end leaves the fewest deliveries outside of a prefetch; by its tag where several do.
  private func whicheverHasRoom(_ queue: JobKind?, _ held: [String: Int]) -> String? {
    func room(_ tag: String) -> Int { (consumers[tag]?.prefetch ?? 0) - held[tag, default: 0] }
    let live = consumers.filter { $0.value.kind == queue && !$0.value.isLeaving }
    return live.keys.min { (-room($0), $0) < (-room($1), $1) }
  }

  private mutating func cancel(_ tag: String?) -> Step? {
    guard let tag else { return nil }
    consumers[tag]?.isLeaving = true
    return .cancel(tag)
  }
}
