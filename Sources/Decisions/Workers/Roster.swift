package import JobModel

/// The workers: since when each has been silent, the kinds that it has handlers for, and how its tellers are shared
/// out. Only this type changes any of that.
package final class Roster {
  /// One worker, as it last announced itself.
  package struct Entry: Sendable {
    package var name: String
    package var tellers: [String: Int]
    package var session: Int
    /// The user of the broker who announced it first, empty when that message named none; nil: not known.
    package var owner: String?
    /// The numbers of tellers that the worker was told to have in place of its own.
    package var wanted: [String: Int]
    /// An operator has ordered the worker to drain.
    package fileprivate(set) var isToDrain: Bool
    /// The worker says that it drains.
    package fileprivate(set) var isDraining = false
    /// Until when its drain takes, by what it said first, in the ledger's time; nil: it has not said that it drains.
    package fileprivate(set) var drainsUntil: Timestamp?
    /// The worker was welcomed in this session: it knows the present epoch and every void release.
    package fileprivate(set) var isGreeted = false
    package var paused: [String] = []
    /// By department: how many tellers are stuck, as the worker says.
    package var stuck: [String: Int] = [:]
    /// By department: how many tellers serve the queue of each kind, as the worker says, and as it was told.
    package var beside: [String: [JobKind: Int]] = [:]
    package fileprivate(set) var share: [String: [JobKind: Int]] = [:]
    package var running: [RunningRelease] = []
    /// The releases in the worker's hands that have not begun.
    package var waiting: [WaitingRelease] = []
    /// On the session's clock; nil: the worker was not heard since this coordinator began.
    package var lastSeen: Duration?

    package init(
      name: String, tellers: [String: Int], session: Int, owner: String?, wanted: [String: Int],
      isToDrain: Bool = false,
      drainsUntil: Timestamp? = nil
    ) {
      (self.name, self.tellers, self.session) = (name, tellers, session)
      (self.owner, self.wanted, self.isToDrain, self.drainsUntil) = (owner, wanted, isToDrain, drainsUntil)
    }

    /// Whether a death of the worker is the end of its drain by force: it was heard within the time that it had said.
    /// `heard`: when at the latest, in the ledger's time.
    package func diedDraining(heard: Timestamp) -> Bool { drainsUntil.map { heard <= $0 } ?? false }

    /// Whether it has tellers for the department.
    package func serves(_ department: Department) -> Bool { tellers[department.name] ?? 0 > 0 }
  }

  package private(set) var workers: [WorkerID: Entry] = [:]
  package private(set) var handlers = HandlerMap()
  /// No worker can be heard, so no lease passes.
  package private(set) var isPaused = false
  private var leases: Leases

  /// How often a worker announces itself.
  package static let presenceInterval: Duration = .seconds(2)

  package init(lease: Duration) {
    leases = Leases(lease: lease, presenceInterval: Roster.presenceInterval)
  }

  /// A longer silence of all workers is not the fault of one.
  package var stallLimit: Duration { leases.stallLimit }

  /// How long a worker may be silent.
  package var lease: Duration {
    get { leases.lease }
    set { leases.lease = newValue }
  }

  /// Whether the worker was welcomed, and is waited for.
  package func isWelcome(_ worker: WorkerID) -> Bool { workers[worker] != nil }

  /// The workers that have tellers for a department.
  package func workers(of department: Department) -> Set<WorkerID> {
    Set(workers.filter { $0.value.serves(department) }.keys)
  }

  /// How many workers name a department when they announce themselves, also without tellers for it.
  package func workersNaming(_ department: Department) -> Int {
    workers.values.count { $0.tellers[department.name] != nil }
  }

  /// How many tellers all workers of a department have.
  package func tellers(of department: Department) -> Int {
    workers.values.reduce(0) { $0 + ($1.tellers[department.name] ?? 0) }
  }

  /// Where a job of the kind can be released to.
  package func route(of kind: JobKind, in department: Department) -> HandlerMap.Route {
    handlers.route(of: kind, in: department)
  }
}

// MARK: - Workers that come and go

extension Roster {
  /// A new session: the workers are those of the ledger, and every lease begins anew.
  package func begin(with workers: [(id: WorkerID, entry: Entry, kinds: Set<JobKind>?)], at now: Duration) {
    self.workers = [:]
    handlers = HandlerMap()
    resume(at: now)
    for worker in workers {
      expect(worker.id, worker.entry, at: now)
      handlers.serve(
        worker.id, name: worker.entry.name, departments: worker.entry.tellers.served, kinds: worker.kinds)
    }
  }

  /// A worker that is waited for from now on.
  package func expect(_ worker: WorkerID, _ entry: Entry, at now: Duration) {
    let share = workers[worker]?.share ?? [:]
    workers[worker] = entry
    workers[worker]?.share = share
    leases.seen(worker, at: now)
  }

  package func greet(_ worker: WorkerID) { workers[worker]?.isGreeted = true }

  /// What workers are told in a welcome is different now: each is welcomed again when it announces itself the next time.
  package func greetAnew() { for worker in workers.keys { workers[worker]?.isGreeted = false } }

  /// A worker has announced itself.
  ///
  /// - Returns: Whether it says something new about its handlers. A worker that drains serves nothing any more: a kind
  ///   that only such workers know would lie in a queue without a consumer.
  package func saw(_ presence: Presence, at now: Duration) -> Bool {
    guard var entry = workers[presence.worker] else { return false }
    (entry.name, entry.tellers, entry.session) = (presence.name, presence.tellers, presence.session)
    (entry.paused, entry.beside, entry.stuck) = (presence.paused, presence.beside, presence.stuck)
    (entry.running, entry.waiting) = (presence.running, presence.waiting)
    entry.isDraining = presence.isDraining
    entry.lastSeen = now
    workers[presence.worker] = entry
    leases.seen(presence.worker, at: now)
    let departments = presence.isDraining ? [] : presence.tellers.served
    return handlers.serve(presence.worker, name: presence.name, departments: departments, kinds: presence.kinds)
  }

  /// A worker is not waited for any more.
  package func forget(_ worker: WorkerID) -> Entry? {
    leases.forget(worker)
    handlers.leave(worker)
    return workers.removeValue(forKey: worker)
  }

  /// A worker without a handler for the kind has given back a job of it.
  package func gaveBack(_ kind: JobKind, _ worker: WorkerID) { handlers.gaveBack(kind, worker) }

  package func want(_ tellers: [String: Int], of worker: WorkerID) { workers[worker]?.wanted = tellers }

  /// The worker says how long its drain may take. What it said first counts, so that a drain does not last for ever.
  ///
  /// - Returns: Until when it takes, in the ledger's time, if that is new; `.some(nil)`: it does not drain any more.
  package func drain(_ presence: Presence, at time: Timestamp) -> Timestamp?? {
    guard let entry = workers[presence.worker] else { return nil }
    let until = presence.isDraining ? entry.drainsUntil ?? time + presence.drainTime : nil
    guard until != entry.drainsUntil else { return nil }
    workers[presence.worker]?.drainsUntil = until
    return .some(until)
  }

  /// An operator has ordered the worker to drain.
  package func orderDrain(of worker: WorkerID) { workers[worker]?.isToDrain = true }

  /// How long ago the worker was heard. A worker that this coordinator has not heard yet counts as silent since the
  /// session's clock began.
  package func silence(of worker: WorkerID, at now: Duration) -> Duration {
    now - (workers[worker]?.lastSeen ?? .zero)
  }

  /// Whether a message to the worker is likely to reach it: the worker was heard, and not longer ago than
  /// ``livelySilence``.
  package func hears(_ worker: WorkerID, at now: Duration) -> Bool {
    workers[worker]?.lastSeen != nil && silence(of: worker, at: now) <= Roster.livelySilence
  }

  /// The longest silence of a worker that counts as heard: three of its presences may be late.
  package static let livelySilence = presenceInterval * 3

  /// Other tellers of the worker are to serve the queues of kinds.
  ///
  /// - Returns: Whether it has to be told.
  package func share(_ share: [String: [JobKind: Int]], to worker: WorkerID) -> Bool {
    guard let entry = workers[worker], entry.share != share else { return false }
    workers[worker]?.share = share
    return true
  }
}

// MARK: - Leases

extension Roster {
  /// No worker can be heard from now on: the time does not count.
  package func pause(at now: Duration) {
    isPaused = true
    leases.pause(at: now)
  }

  package func resume(at now: Duration) {
    isPaused = false
    leases.resume(at: now)
  }

  /// The workers whose lease has passed.
  package func tick(at now: Duration) -> [WorkerID] { leases.tick(at: now) }
}

// MARK: - Shares

extension Roster {
  /// Whether a teller was told to serve the queue of the kind.
  package func isServed(_ queue: JobQueue) -> Bool {
    guard let kind = queue.kind else { return true }
    return workers.values.contains { $0.share[queue.department.name]?[kind] ?? 0 > 0 }
  }

  /// The queues of kinds that can be removed: nothing is in them, and no teller serves them or was told to; or no
  /// worker can run what is in them.
  package func idle(_ queues: [JobQueue], inUse: (JobQueue) -> Bool) -> Set<JobQueue> {
    Set(
      queues.filter { queue in
        guard let kind = queue.kind else { return false }
        if handlers.route(of: kind, in: queue.department) == .nowhere { return true }
        return !inUse(queue) && !workers.values.contains { $0.mayServe(kind, of: queue.department.name) }
      })
  }
}

extension Roster.Entry {
  /// Whether it says that tellers serve the queue of the kind, or was told so.
  fileprivate func mayServe(_ kind: JobKind, of department: String) -> Bool {
    beside[department]?[kind] != nil || share[department]?[kind] != nil
  }
}

extension [String: Int] {
  /// The departments that a worker of these tellers names, also without tellers.
  package var named: Set<Department> { Set(keys.compactMap { Department($0) }) }
  /// The departments that a worker of these tellers serves.
  package var served: Set<Department> { Set(filter { $0.value > 0 }.keys.compactMap { Department($0) }) }
}
