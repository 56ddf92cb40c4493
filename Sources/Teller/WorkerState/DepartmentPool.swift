package import JobModel

/// The tellers of one department in one worker: which are busy, which deliveries wait, and which consumers bring work.
///
/// All consumers together have a prefetch of one for each teller that is free for a delivery, and of one for each job that
/// is taken ahead. The prefetch of a consumer cannot be changed: the consumer is cancelled, and a new one is made. A
/// delivery of a cancelled consumer stays in the worker's hands and counts in no prefetch; so does a job that is adopted.
/// So each of them takes one off the new prefetch until it has ended. Example: of 3 tellers one is busy with a delivery of a
/// cancelled consumer; the new consumer has a prefetch of 2. The only exception is a delivery of an earlier connection,
/// which is expected again for a while.
///
/// A handler that waits for another job lends its teller. While it is lent, the pool is as if there were no such release: it
/// has no teller, and it does not count in the prefetch of its consumer.
///
/// Beside the department's queue there may be queues of kinds that not all of its workers have a handler for. The
/// coordinator says how many tellers serve each; the prefetch over all of them stays the number of tellers, and of the jobs
/// that are taken ahead.
///
/// With jobs taken ahead a teller is free as soon as its handler has ended, and serves the most urgent delivery that waits
/// here. The job that has ended counts in the prefetch until its delivery is acked. So what runs, what waits here and what is
/// being reported are together never more than the prefetch. Without jobs taken ahead a teller is free after the ack.
package struct DepartmentPool: Sendable {
  /// Where a busy teller's release came from.
  enum Source: Hashable {
    /// That consumer. The release counts in the consumer's prefetch, while the consumer lives.
    case consumer(String)
    /// An earlier connection. The broker will deliver the release again, and then the release counts in a prefetch.
    case earlier
    /// An earlier connection. The release was not delivered again in time: another worker has it, or it is gone.
    case missing
    /// The release's message was acked: the job is adopted.
    case adopted
  }

  struct Consumer {
    /// The kind whose queue it consumes; nil: the department's own queue.
    let kind: JobKind?
    let prefetch: Int
    /// No later than this it has begun, by the ledger's clock; nil: that is not known.
    var began: Timestamp?
    /// The consumer is being cancelled: none of its deliveries is started.
    var isLeaving = false
    /// One of its deliveries has waited for too long: the consumer is to be cancelled.
    var isStale = false
  }

  /// The next step about the consumers.
  package enum Step: Hashable, Sendable {
    case cancel(String)
    /// `kind`: the kind whose queue is consumed; nil: the department's own queue.
    case consume(Department, kind: JobKind? = nil, tag: String, prefetch: Int)
  }

  let department: Department
  /// How many tellers the worker was started with.
  let ownTellers: Int
  private(set) var tellers: Int
  /// How many deliveries the worker may have beyond its tellers.
  private(set) var ahead = 0
  private(set) var isPaused = false
  /// The broker refuses the department's own queue: nothing is consumed.
  private(set) var isRefused = false
  /// The kinds whose queues the broker refuses: their tellers serve the department's own queue.
  private(set) var refusedKinds: Set<JobKind> = []
  /// How many tellers serve the queue of a kind instead of the department's own.
  private(set) var beside: [JobKind: Int] = [:]
  var busy: [ReleaseID: Source] = [:]
  /// Those of `busy` that hold no teller: their handlers have ended, or they are not to be started.
  private var withoutTeller: Set<ReleaseID> = []
  var waiting = WaitingDeliveries()
  /// Since when nothing is taken ahead, because what was taken ahead has waited in vain; nil: it is.
  var heldBackSince: ContinuousClock.Instant?
  var consumers: [String: Consumer] = [:]
  var lastConsumer = 0
  /// The tellers whose handlers wait for other jobs.
  var lent = LentTellers()

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

  func isLive(_ consumer: String) -> Bool { consumers[consumer]?.isLeaving == false }

  mutating func forgetBegins() {
    for tag in consumers.keys { consumers[tag]?.began = nil }
  }

  /// Changes the staffing; `tellers` and `ahead` are not negative.
  mutating func staff(tellers: Int, ahead: Int = 0, isPaused: Bool, beside: [JobKind: Int] = [:]) {
    self.tellers = tellers
    self.ahead = ahead
    self.isPaused = isPaused
    self.beside = beside.filter { $0.value > 0 }
  }

  /// Notes whether the broker refuses the department's own queue (nil), or that of a kind.
  mutating func setRefused(_ kind: JobKind?, _ isRefused: Bool) {
    guard let kind else { return self.isRefused = isRefused }
    if isRefused { refusedKinds.insert(kind) } else { refusedKinds.remove(kind) }
  }

  /// Notes that the connection is lost, and with it every delivery that no teller has.
  mutating func disconnected() {
    consumers = [:]
    waiting = WaitingDeliveries()
    heldBackSince = nil
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
    heldBackSince = nil
    if !withoutTeller.isEmpty { withoutTeller.remove(release) }
    if !lent.isEmpty { lent.forget(release) }
    return isUnattended
  }

  /// Notes that the handler of a release has ended. With jobs taken ahead its teller is free for the next one.
  ///
  /// - Returns: whether the teller is free now.
  mutating func handlerEnded(_ release: ReleaseID) -> Bool {
    heldBackSince = nil
    guard ahead > 0, busy[release] != nil else { return false }
    lent.forget(release)
    withoutTeller.insert(release)
    return true
  }

  /// Whether a teller is free for a delivery. One that a handler wants back is not.
  private var hasFreeTeller: Bool { busy.count - withoutTeller.count - lent.awayCount < tellers }

  /// Keeps a delivery for which no teller is free, or which may not be started now.
  mutating func keepWaiting(_ delivery: DeliveredAssignment, since now: ContinuousClock.Instant) {
    waiting.keep(delivery, since: now)
  }

  /// Takes out the waiting delivery that is to be started next, if a teller is free: the first one, or with jobs taken
  /// ahead the most urgent one. The teller is not taken yet.
  mutating func nextToServe() -> DeliveredAssignment? {
    guard hasFreeTeller, !waiting.isEmpty else { return nil }
    let next = waiting.next(byPriority: ahead > 0) { serves($0.consumer) }
    return next.flatMap { waiting.take($0.assignment.release, tag: $0.tag) }
  }

  /// Takes out a waiting delivery that is not to be started: it counts in its consumer's prefetch until it is acked, and
  /// holds no teller.
  mutating func dropWaiting(_ release: ReleaseID, tag: UInt64) -> DeliveredAssignment? {
    guard let delivery = waiting.take(release, tag: tag) else { return nil }
    hold(delivery)
    return delivery
  }

  /// Has a delivery count in its consumer's prefetch until it is acked, without a teller.
  mutating func hold(_ delivery: DeliveredAssignment) {
    let release = delivery.assignment.release
    guard busy[release] == nil else { return }
    busy[release] = .consumer(delivery.consumer)
    withoutTeller.insert(release)
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
    let working = busy.count - withoutTeller.count - lent.awayCount - lent.returningCount
    return lent.giveBack(free: max(1, tellers) - working)
  }

  /// Has a handler go on at once, though more run than there are tellers: it was cancelled, and is to end.
  mutating func goOn(_ release: ReleaseID) { lent.forget(release) }
}
