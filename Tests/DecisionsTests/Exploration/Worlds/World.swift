import Foundation

@testable import Decisions
@testable import JobModel

/// A small world: one job, two workers with one teller each, a coordinator, a broker. The rules in it are the product's
/// own values; the broker, the wires and the faults are the test's.
struct World {
  static let job = JobID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))
  static let ledger = LedgerID("ledger")
  static let ids = [WorkerID("a"), WorkerID("b")]
  /// Enough that the job never ends for want of attempts: the number of an attempt is no part of a state.
  static let attempts = 1_000

  struct Message: Hashable {
    var number: Int
    var redelivered = false
    var flagged = false
    var epoch = 0
    /// It is in the queue of its kind: only workers with a handler consume that.
    var isBeside = false

    /// A later release of another job.
    static let later = Message(number: 0)
    var isLater: Bool { number == 0 }
  }

  enum WireItem: Hashable {
    case delivery(Message, tag: UInt64)
    case probe(Int)
    case answer(release: ReleaseID, claim: Int, Verdict)
    case welcome(void: Set<Int>, epoch: Int)
    case void(Set<Int>)
    case forgotten(Int)
    case adopted(Int)
    /// The broker has ended the worker's consumer.
    case consumerEnded
  }

  enum QueuedReport: Hashable {
    case report(number: Int, token: Int)
    case claim(ClaimRequest)
    case fence(Int)
    case dropped(Int)
    case returned(Int)
    case adopt(number: Int, token: Int, by: Int)
    /// The later release was delivered.
    case later
  }

  /// A presence on its way.
  struct Snapshot: Hashable {
    var probe: Int
    var running: [RunningRelease]
    /// What the worker has taken ahead, and may begin at any moment.
    var waiting: [RunningRelease] = []
    var asksWelcome: Bool
  }

  struct Unacked: Hashable {
    var message: Message
    var tag: UInt64
  }

  struct Worker {
    var isAlive = true
    /// Cut off: the broker has dropped the connection, and the worker still reads what is in its socket.
    var isConnected = true
    /// It has its welcome on this connection.
    var consumes = true
    /// The broker has its consumer still.
    var hasConsumer = true
    var tray = Tray()
    /// What the broker has sent, in the order in which it is read.
    var wire: [WireItem] = []
    var unacked: [Unacked] = []
    /// Reports that are published and not yet known to be confirmed.
    var sent: Set<Int> = []
    var presences: [Snapshot] = []
    /// The tags of what it has taken ahead, and can start or give back.
    var pool: Set<UInt64> = []
    /// Of the ledger, by its last welcome.
    var epoch = 0
    /// What it had when its lease passed: it may run that although the place was given to another.
    var lapsed: Set<Int> = []
  }

  let setting: Setting

  // The ledger.
  var progress = JobProgress(maxAttempts: World.attempts)
  var isConfirmed = false
  var wasPublished = false
  var epoch = 0
  var welcomed = [true, true]
  var welcomedNumbers: [Int?] = [nil, nil]
  /// The current release is for the queue of its kind.
  var isBeside = false
  /// What is void and whose job has ended or has another release.
  var voidRecords: Set<Int> = []
  var adoptedBy: Int?
  /// The last number that any coordinator has used.
  var lastNumber = 0
  // The coordinator's memory.
  var claims: Claims?
  var void = VoidReleases()
  /// What a release that is void for a change is to be: ended, instead of released anew.
  var isTooLate = false
  /// A worker without a handler has given the current release back.
  var isReturned = false
  /// What had reached the queue before the later release was published.
  var beforeLater: Set<Int> = []
  // The broker.
  var queue: [Message] = []
  /// Published by a coordinator that did not wait for the confirm.
  var inFlight: Message?
  var reports: [QueuedReport] = []
  var workers = [Worker(), Worker()]
  // What is counted.
  var effects = 0
  /// How often the promise allows one more run.
  var excuses = 0
  var faults = 0
  var crossings = 0
  var operations = 0
  var handBacks = 0
  var doubts = 0
  /// How many runs of it have begun, or were granted; counted where the attempts are.
  var starts = 0
  /// Whom the coordinator last granted the job, and the last number it had used by then.
  var grantee: (index: Int, number: Int)?
  /// The token of the last grant that a worker began to run by.
  var begun = 0
  /// A run that had begun by a grant was taken for one that had not.
  var isStartForgotten = false
  /// An attempt was used up by an interruption of something that had not begun.
  var isInnocentBlamed = false

  init(_ setting: Setting) {
    self.setting = setting
    progress = JobProgress(maxAttempts: setting.attempts ?? World.attempts)
    if setting.isSuspect { progress.deaths = Death.suspectDeaths }
    _ = progress.apply(.lifted)
    startCoordinator(knowing: World.ids)
    wasPublished = setting.isFlagged || setting.isSuspect
    if setting.isReleased { publish() }
  }
}

/// What may happen in a world, and by which rules.
struct Setting: Sendable {
  /// What the first fault may be, what the second, and so on.
  var faults: [Set<Fault>] = []
  /// What the first operation may be, what the second, and so on.
  var operations: [Set<Operation>] = []
  /// How often a worker may ask again although its question or the answer is still on its way.
  var crossings = 0
  /// Workers want to be done with the messages of what they run.
  var adopts = false
  /// Other jobs always wait in the queue: it is never seen empty.
  var isCrowded = false
  /// Later releases of the same queue and priority come through.
  var isPassing = false
  /// The job is in its queue already.
  var isReleased = false
  /// It carries the flag: whoever is handed it claims it first.
  var isFlagged = false
  /// Who is cut off comes back before its lease has passed.
  var isPatient = false
  /// How many attempts the job has, where they are counted; nil: enough.
  var attempts: Int?
  /// The workers that have no handler for the job.
  var lacking: Set<Int> = []
  /// The job was running when workers died: it is held after each further one, and released anew. It is always flagged.
  var isSuspect = false
  /// A worker takes one delivery more than it has tellers, and other jobs may keep its teller busy.
  var takesAhead = false
  /// How often a worker claims what it has taken ahead, because it was silent.
  var mostDoubts = 0
  /// How often a worker gives back what it has taken ahead; more lead to nothing new.
  var mostHandBacks = 1
  /// The rules that are switched off.
  var off: Set<Rule> = []
}

extension World {
  var releaseID: ReleaseID { ReleaseID(job: World.job, number: progress.release) }

  func has(_ rule: Rule) -> Bool { !setting.off.contains(rule) }

  static func release(_ number: Int) -> ReleaseID { ReleaseID(job: job, number: number) }

  func isCurrent(_ release: ReleaseID) -> Bool {
    progress.state == .queued && release.number == (has(.byRelease) ? progress.release : progress.token)
  }

  /// Whether a worker has it by the present token, that of its void place included.
  func counts(_ running: RunningRelease) -> Bool {
    if let token = void.token(of: running.release) { return running.token >= token }
    return running.release.number != progress.release || running.token >= progress.token
  }

  /// What a presence says that a worker runs.
  func listed(_ running: [RunningRelease]) -> [ReleaseID] {
    running.map { has(.byRelease) ? $0.release : ReleaseID(job: World.job, number: $0.token) }
  }

  /// Whether the job has ended and nothing can run any more: whatever is claimed is dropped.
  var isOver: Bool {
    guard progress.state.isFinal, !queue.contains(where: runsUnclaimed), inFlight == nil,
      voidRecords.isEmpty
    else { return false }
    return workers.allSatisfy { worker in
      worker.tray.running.isEmpty && worker.startable.isEmpty && !worker.wire.contains(where: startsRun)
    }
  }

  func runsUnclaimed(_ message: Message) -> Bool { runsUnclaimed(message, by: nil) }

  /// Whether a worker would start it at once; nil: whether any would.
  func runsUnclaimed(_ message: Message, by worker: Worker?) -> Bool {
    if has(.epochClaim), let worker, worker.epoch != message.epoch { return false }
    return !message.isLater && (!has(.claim) || !(message.redelivered || message.flagged))
  }

  /// A delivery that runs at once, or an answer that lets one run.
  func startsRun(_ item: WireItem) -> Bool {
    switch item {
    case .delivery(let message, _): runsUnclaimed(message)
    case .answer(_, _, .run): true
    case .answer, .probe, .welcome, .void, .forgotten, .adopted, .consumerEnded: false
    }
  }

  /// The releases that are current or void, or of which there is a message.
  var present: Set<Int> {
    var numbers = voidRecords
    numbers.insert(progress.release)
    if let inFlight { numbers.insert(inFlight.number) }
    for message in queue { numbers.insert(message.number) }
    for worker in workers {
      for unacked in worker.unacked { numbers.insert(unacked.message.number) }
      for case .delivery(let message, _) in worker.wire { numbers.insert(message.number) }
    }
    return numbers
  }

  /// Whether a release's place was given to another: nobody may run it then.
  func isFreed(_ number: Int) -> Bool {
    if progress.state == .held { return true }
    guard progress.state.isFinal, number == progress.release else { return number != progress.release }
    return !has(.voidPlace) || !voidRecords.contains(number)
  }

  /// Whether a worker that was never given up runs what nobody may run any more.
  var hasLateRun: Bool {
    // What an earlier epoch released runs on.
    epoch == 0
      && workers.contains { worker in
        worker.tray.entries.contains { release, entry in
          guard case .running = entry.stage else { return false }
          return isFreed(release.number) && !worker.lapsed.contains(release.number)
        }
      }
  }

  mutating func startCoordinator(knowing workers: [WorkerID]) {
    let known = zip(World.ids, welcomedNumbers).filter { workers.contains($0.0) }
    claims = Claims(
      firstNumber: has(.numbers) ? lastNumber + 1 : 1, waitingFor: known.map { (id: $0.0, since: $0.1) })
    noteWelcomes()
    void = VoidReleases()
    for number in voidRecords {
      void.add(World.release(number), .ended, token: number == progress.release ? progress.token : number)
    }
    if !voidRecords.isEmpty { tell(.void(voidRecords)) }
  }

  /// Records since when each worker has been waited for.
  mutating func noteWelcomes() {
    for index in World.ids.indices { welcomedNumbers[index] = claims?.welcomedNumber(of: World.ids[index]) }
  }

  mutating func tell(_ item: WireItem) {
    for index in workers.indices { send(item, to: index) }
  }

  /// What the broker sends to a worker; nothing, if it has no connection.
  mutating func send(_ item: WireItem, to index: Int) {
    guard workers[index].isAlive, workers[index].isConnected else { return }
    if case .probe(let number) = item, workers[index].wire.contains(where: { $0.isProbe(atLeast: number) }) { return }
    workers[index].wire.append(item)
  }

  mutating func ack(_ tag: UInt64?, by index: Int) {
    guard workers[index].isConnected else { return }
    workers[index].unacked.removeAll { $0.tag == tag }
  }
}

extension World.WireItem {
  func isProbe(atLeast number: Int) -> Bool {
    if case .probe(let own) = self { own >= number } else { false }
  }

  func isAnswer(to claim: Int) -> Bool {
    if case .answer(_, let own, _) = self { own == claim } else { false }
  }
}
