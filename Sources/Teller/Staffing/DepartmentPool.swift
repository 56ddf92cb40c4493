import JobModel

/// The tellers of one department in one worker: which are busy, which deliveries wait, and which consumers bring work.
///
/// All consumers together have a prefetch of one for each teller that is free for a delivery. The prefetch of a consumer
/// cannot be changed: the consumer is cancelled, and a new one is made. A delivery of a cancelled consumer stays in the
/// worker's hands and counts in no prefetch; so does a job that is adopted. So each of them takes one off the new prefetch
/// until it has ended. Example: of 3 tellers one is busy with a delivery of a cancelled consumer; the new consumer has a
/// prefetch of 2. The only exception is a delivery of an earlier connection, which is expected again for a while.
///
/// A handler that waits for another job lends its teller. While it is lent, the pool is as if there were no such release: it
/// has no teller, and it does not count in the prefetch of its consumer.
///
/// Beside the department's queue there may be queues of kinds that not all of its workers have a handler for. The
/// coordinator says how many tellers serve each; the prefetch over all of them stays the number of tellers.
struct DepartmentPool: Sendable {
  /// Where a busy teller's release came from.
  private enum Source: Hashable {
    /// That consumer. The release counts in the consumer's prefetch, while the consumer lives.
    case consumer(String)
    /// An earlier connection. The broker will deliver the release again, and then the release counts in a prefetch.
    case earlier
    /// An earlier connection. The release was not delivered again in time: another worker has it, or it is gone.
    case missing
    /// The release's message was acked: the job is adopted.
    case adopted
  }

  private struct Consumer {
    /// The kind whose queue it consumes; nil: the department's own queue.
    let kind: JobKind?
    let prefetch: Int
    /// The consumer is being cancelled: none of its deliveries is started.
    var isLeaving = false
  }

  /// The next step about the consumers.
  enum Step: Hashable, Sendable {
    case cancel(String)
    /// `kind`: the kind whose queue is consumed; nil: the department's own queue.
    case consume(Department, kind: JobKind? = nil, tag: String, prefetch: Int)
  }

  let department: Department
  /// How many tellers the worker was started with.
  let ownTellers: Int
  private(set) var tellers: Int
  private(set) var isPaused = false
  /// How many tellers serve the queue of a kind instead of the department's own.
  private(set) var beside: [JobKind: Int] = [:]
  private var busy: [ReleaseID: Source] = [:]
  private var waiting: [DeliveredAssignment] = []
  private var consumers: [String: Consumer] = [:]
  private var lastConsumer = 0
  /// The tellers whose handlers wait for other jobs.
  private var lent = LentTellers()

  init(_ department: Department, tellers: Int) {
    self.department = department
    ownTellers = tellers
    self.tellers = tellers
  }

  var hasWaiting: Bool { !waiting.isEmpty }
  var hasConsumers: Bool { !consumers.isEmpty }
  func has(_ consumer: String) -> Bool { consumers[consumer] != nil }

  /// Whether a delivery of this consumer may be started.
  func serves(_ consumer: String) -> Bool { !isPaused && isLive(consumer) }

  private func isLive(_ consumer: String) -> Bool { consumers[consumer]?.isLeaving == false }

  /// Changes the staffing; `tellers` is not negative.
  mutating func staff(tellers: Int, isPaused: Bool, beside: [JobKind: Int] = [:]) {
    self.tellers = tellers
    self.isPaused = isPaused
    self.beside = beside.filter { $0.value > 0 }
  }

  /// Notes that the connection is lost, and with it every delivery that no teller has.
  mutating func disconnected() {
    consumers = [:]
    waiting = []
    for (release, source) in busy where source != .adopted { busy[release] = .earlier }
  }
}

// Tellers.
extension DepartmentPool {
  /// Takes a teller for a delivery, if one is free or the release has one already.
  ///
  /// - Returns: whether the release has a teller.
  mutating func take(_ delivery: DeliveredAssignment) -> Bool {
    let release = delivery.assignment.release
    if busy[release] != nil { return true }
    guard hasFreeTeller else { return false }
    busy[release] = .consumer(delivery.consumer)
    return true
  }

  /// Notes that a release of an earlier connection, which has a teller, was delivered again.
  ///
  /// - Returns: whether the consumers may have to change.
  @discardableResult
  mutating func redelivered(_ delivery: DeliveredAssignment) -> Bool {
    guard busy[delivery.assignment.release] != nil else { return false }
    busy[delivery.assignment.release] = .consumer(delivery.consumer)
    return lent.isAway(delivery.assignment.release)
  }

  /// Expects the releases of an earlier connection no longer: no job is consumed for their tellers before these are free.
  /// A delivery that waits for such a teller goes back to its queue with the consumer that is now too large.
  mutating func giveUpRedeliveries() {
    for (release, source) in busy where source == .earlier { busy[release] = .missing }
  }

  /// Notes that the message of a release will be acked. The release keeps its teller.
  mutating func adopt(_ release: ReleaseID) {
    guard busy[release] != nil else { return }
    busy[release] = .adopted
  }

  /// Frees the teller of a release.
  ///
  /// - Returns: whether one of the queues should be consumed, and is not.
  @discardableResult
  mutating func free(_ release: ReleaseID) -> Bool {
    busy[release] = nil
    if !lent.isEmpty { lent.forget(release) }
    return isUnattended
  }

  /// Whether a teller is free for a delivery. One that a handler wants back is not.
  private var hasFreeTeller: Bool { busy.count - lent.awayCount < tellers }

  /// Keeps a delivery for which no teller is free, or which may not be started now.
  mutating func keepWaiting(_ delivery: DeliveredAssignment) {
    waiting.append(delivery)
  }

  /// Takes out the first waiting delivery that may be started, if a teller is free. The teller is not taken yet.
  mutating func nextToServe() -> DeliveredAssignment? {
    guard hasFreeTeller, let index = waiting.firstIndex(where: { serves($0.consumer) }) else { return nil }
    return waiting.remove(at: index)
  }
}

// Tellers that are lent.
extension DepartmentPool {
  /// Lends the teller of a release whose handler waits for another job.
  ///
  /// - Returns: false: too many handlers wait.
  mutating func lend(_ release: ReleaseID, level: Int) -> Bool {
    busy[release] != nil && lent.lend(release, level: level)
  }

  /// Notes that a handler wants its teller back. It has it once ``nextReturned()`` says so.
  mutating func wantBack(_ release: ReleaseID) { lent.wantBack(release) }

  /// Gives the first handler that wants it its teller back, if one is free. With no teller left in the department a handler
  /// that runs already goes on all the same, one at a time.
  mutating func nextReturned() -> ReleaseID? {
    if lent.isEmpty { return nil }
    let working = busy.count - lent.awayCount - lent.returningCount
    return lent.giveBack(free: max(1, tellers) - working)
  }

  /// Has a handler go on at once, though more run than there are tellers: it was cancelled, and is to end.
  mutating func goOn(_ release: ReleaseID) { lent.forget(release) }
}

// Consumers.
extension DepartmentPool {
  /// The next step. A consumer of a `consume` step counts as made; one of a `cancel` step is there until ``ended(_:)``.
  ///
  /// - Parameter isConsuming: whether the worker is to consume at all.
  /// - Returns: nil when the consumers are as they should be.
  mutating func nextStep(isConsuming: Bool) -> Step? {
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
  /// - Returns: the tags of its deliveries that wait, to be given back.
  mutating func ended(_ consumer: String) -> [UInt64] {
    consumers[consumer] = nil
    let tags = waiting.filter { $0.consumer == consumer }.map(\.tag)
    waiting.removeAll { $0.consumer == consumer }
    return tags
  }

  /// Whether one of the queues should be consumed, and is not.
  var isUnattended: Bool {
    guard !isPaused, tellers > 0 else { return false }
    // Asked after each job, so cheap first: busy tellers are only counted where a queue has no consumer.
    guard capacity(of: nil) == 0 || beside.keys.contains(where: { capacity(of: $0) == 0 }) else { return false }
    return wanted(heldByConsumer).contains { $0.value > 0 && capacity(of: $0.key) == 0 }
  }

  /// The prefetch that each queue should have: together one for each teller, less the tellers whose release counts in no
  /// prefetch. The queues of kinds get their shares first; the department's own queue gets the rest.
  private func wanted(_ held: [String: Int]) -> [JobKind?: Int] {
    let outside = busy.count - lent.awayCount - held.values.reduce(0, +) - expectedAgain
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
