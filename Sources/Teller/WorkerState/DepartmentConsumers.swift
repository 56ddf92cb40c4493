import JobModel

// Consumers.
extension DepartmentPool {
  /// The next step. A consumer of a `consume` step counts as made; one of a `cancel` step is there until ``ended(_:)``.
  ///
  /// - Parameter isConsuming: whether the worker is to consume at all.
  /// - Returns: nil when the consumers are as they should be.
  mutating func nextStep(isConsuming: Bool) -> Step? {
    if let stale = cancelStale() { return stale }
    let held = heldByConsumer
    let wanted = isConsuming ? self.wanted(held) : [:]
    // First every consumer that is too large: the prefetch of all together must never be more than the tellers.
    for queue in queues where capacity(of: queue) > wanted[queue, default: 0] {
      return cancelConsumer(of: queue)
    }
    for queue in queues {
      let missing = wanted[queue, default: 0] - capacity(of: queue)
      if missing > 0 { return consume(queue, prefetch: missing) }
    }
    return nil
  }

  private mutating func consume(_ kind: JobKind?, prefetch: Int) -> Step {
    // Never a tag from before: acks of the earlier consumer's deliveries would count in the prefetch of the new one.
    lastConsumer += 1
    let tag = WorkerLink.tag(of: department, number: lastConsumer)
    consumers[tag] = Consumer(kind: kind, prefetch: prefetch)
    return .consume(department, kind: kind, tag: tag, prefetch: prefetch)
  }

  /// The department's own queue (nil), and the queues of kinds that are served or still consumed; in a fixed order.
  private var queues: [JobKind?] {
    let kinds = consumers.values.reduce(into: Set(beside.keys)) { kinds, consumer in
      if let kind = consumer.kind { kinds.insert(kind) }
    }
    return [nil] + kinds.sorted()
  }

  /// How many deliveries the consumers of a queue may have in hands that do not wait for other jobs.
  private func capacity(of queue: JobKind?) -> Int {
    consumers.reduce(0) { sum, consumer in
      consumer.value.kind == queue && !consumer.value.isLeaving ? sum + capacity(ofConsumer: consumer.key) : sum
    }
  }

  /// The same of one consumer.
  private func capacity(ofConsumer tag: String) -> Int {
    let prefetch = consumers[tag]?.prefetch ?? 0
    return lent.isEmpty ? prefetch : prefetch - busy.count { $0.value == .consumer(tag) && lent.isAway($0.key) }
  }

  /// Notes that a consumer is cancelled: no more deliveries come.
  ///
  /// - Returns: its deliveries that wait, to be given back.
  mutating func ended(_ consumer: String) -> [DeliveredAssignment] {
    consumers[consumer] = nil
    return waiting.takeAll(of: consumer)
  }

  /// Has the deliveries given back that have waited for longer than the limit: each with the consumer that brought it.
  /// Another worker may have a free teller for it, now or soon. So nothing is taken ahead for as long again, or until a
  /// teller is free here.
  ///
  /// - Returns: whether there is any.
  mutating func giveBack(after limit: Duration, at now: ContinuousClock.Instant) -> Bool {
    if let since = heldBackSince, since + limit <= now { heldBackSince = nil }
    let stale = waiting.consumers(waitingSince: now - limit)
    for tag in stale { consumers[tag]?.isStale = true }
    if !stale.isEmpty { heldBackSince = now }
    return !stale.isEmpty
  }

  private mutating func cancelStale() -> Step? {
    guard let tag = consumers.filter({ $0.value.isStale && !$0.value.isLeaving }).keys.min() else { return nil }
    consumers[tag]?.isLeaving = true
    return .cancel(tag)
  }

  /// The queues of kinds that should be consumed, and that the broker refuses.
  var refusedBeside: [JobQueue] {
    guard !isPaused, tellers > 0 else { return [] }
    return beside.keys.filter(refusedKinds.contains).map { JobQueue(department, kind: $0) }
  }

  /// Whether one of the queues should be consumed, and is not; without those of kinds that the broker refuses.
  var isUnattended: Bool {
    guard !isPaused, tellers > 0 else { return false }
    if isRefused { return true }
    // Asked after each job, so cheap first: busy tellers are only counted where a queue has no consumer.
    let lacks = { (kind: JobKind) in !refusedKinds.contains(kind) && capacity(of: kind) == 0 }
    guard capacity(of: nil) == 0 || beside.keys.contains(where: lacks) else { return false }
    return wanted(heldByConsumer).contains { $0.value > 0 && capacity(of: $0.key) == 0 }
  }

  /// The prefetch that each queue should have: together one for each teller and each job taken ahead, less the releases that
  /// count in no prefetch. The queues of kinds get their shares first, but for those that the broker refuses; the
  /// department's own queue gets the rest. Without any teller nothing is taken ahead: nobody would start it.
  private func wanted(_ held: [String: Int]) -> [JobKind?: Int] {
    let outside = busy.count - lent.awayCount - held.values.reduce(0, +) - expectedAgain
    var left =
      isPaused || isRefused || tellers == 0 ? 0 : max(0, tellers + (heldBackSince == nil ? ahead : 0) - outside)
    var wanted: [JobKind?: Int] = [:]
    for (kind, share) in beside.sorted(by: { $0.key < $1.key }) where !refusedKinds.contains(kind) {
      wanted[kind] = min(share, left)
      left -= min(share, left)
    }
    let own: JobKind? = nil
    wanted[own] = left
    return wanted
  }

  /// How many busy tellers count in the prefetch of each living consumer; without those that are lent.
  private var heldByConsumer: [String: Int] {
    busy.reduce(into: [:]) { held, entry in
      guard case .consumer(let tag) = entry.value, isLive(tag), !lent.isAway(entry.key) else { return }
      held[tag, default: 0] += 1
    }
  }

  private var expectedAgain: Int { busy.count { $0.value == .earlier && !lent.isAway($0.key) } }

  /// Cancels the consumer of a queue whose end leaves the fewest deliveries outside of a prefetch; of several the first
  /// by tag. One whose deliveries all wait for other jobs has no part in what is too much.
  private mutating func cancelConsumer(of queue: JobKind?) -> Step? {
    func room(_ tag: String) -> Int { (consumers[tag]?.prefetch ?? 0) - busy.values.count { $0 == .consumer(tag) } }
    let live = consumers.filter { $0.value.kind == queue && !$0.value.isLeaving && capacity(ofConsumer: $0.key) > 0 }
    guard let tag = live.keys.min(by: { (-room($0), $0) < (-room($1), $1) }) else { return nil }
    consumers[tag]?.isLeaving = true
    return .cancel(tag)
  }
}
