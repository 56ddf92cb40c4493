import Foundation

@testable import Decisions
@testable import JobModel

/// Two jobs whose releases all come back redelivered, two workers with two tellers each, and claims that are asked,
/// recorded, probed and granted together: what one job's world cannot show. The rules are the product's own values.
struct BatchWorld: SmallWorld {
  enum Rule: String, CaseIterable, Sendable {
    /// A presence lists everything that runs or is not reported, not only one of it.
    case listsAll
    /// A message to oneself through the reports queue comes before any `run` of the batch.
    case fence
    /// A batch is answered by what its own probe brought, not by what was heard before.
    case probe
  }

  enum WireItem: Hashable, Sendable {
    case probe(Int)
    case answer(job: Int, claim: Int, Verdict)
  }

  enum Report: Hashable, Sendable {
    case outcome(job: Int, token: Int)
    /// All that a worker asks at that moment, in one message.
    case claims([ClaimRequest])
    case fence(Int)
  }

  struct Presence: Hashable, Sendable {
    var probe: Int
    var running: [RunningRelease]
  }

  struct Worker: Hashable, Sendable {
    var isAlive = true
    var tray = Tray()
    var wire: [WireItem] = []
    var unacked: [Int] = []
    var presence: Presence?
  }

  static let tellers = 2
  static let jobs = (0..<2).map { JobID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8($0)))) }
  static let ids = [WorkerID("a"), WorkerID("b")]
  static let ledger = LedgerID("ledger")

  let off: Rule?
  private var deaths: Int
  private var progress = BatchWorld.jobs.map { _ in JobProgress(maxAttempts: 1_000) }
  private var claims = Claims(firstNumber: 1)
  /// The jobs whose messages wait, each to be claimed.
  private var queue: [Int] = []
  private var reports: [Report] = []
  private var workers = [Worker(), Worker()]
  private var effects = [0, 0]
  private var excuses = [0, 0]

  /// Worker a runs the jobs of `running`, from before the broker's crash; both messages are in the queue again. As many
  /// workers may die as `deaths` says.
  init(running: Set<Int>, deaths: Int, without rule: Rule? = nil) {
    off = rule
    self.deaths = deaths
    for job in progress.indices { _ = progress[job].apply(.lifted) }
    for id in BatchWorld.ids { claims.welcome(id) }
    for job in running {
      _ = workers[0].tray.delivered(release(job), token: 1, tag: UInt64(job), mustClaim: false)
    }
    workers[0].tray.disconnected()
    queue = Array(BatchWorld.jobs.indices)
  }

  var violation: String? {
    zip(effects, excuses).contains { $0 > 1 + $1 } ? "a run too many" : nil
  }

  /// Who has lost a message to the dead has to be found lost, which is not of this world: an end is also nobody left.
  var isDone: Bool { progress.allSatisfy(\.state.isFinal) || !workers.contains(where: \.isAlive) }

  private func release(_ job: Int) -> ReleaseID { ReleaseID(job: BatchWorld.jobs[job], number: progress[job].release) }

  private func job(_ release: ReleaseID) -> Int { BatchWorld.jobs.firstIndex(of: release.job) ?? 0 }

  private func isCurrent(_ release: ReleaseID) -> Bool { !progress[job(release)].state.isFinal }
}

// MARK: - Steps

extension BatchWorld {
  func next() -> [(step: String, world: BatchWorld)] {
    guard !isDone else { return [] }
    var steps: [(step: String, world: BatchWorld)] = []
    func add(_ step: String, _ change: (inout BatchWorld) -> Void) {
      var world = self
      change(&world)
      steps.append((step, world))
    }
    for index in workers.indices { addWorkerSteps(index, add) }
    // One message of the reports queue in a turn, or two.
    for batch in 1...2 where reports.count >= batch { add("record \(batch)") { $0.record(batch) } }
    return steps
  }

  private func addWorkerSteps(_ index: Int, _ add: (String, (inout BatchWorld) -> Void) -> Void) {
    let (name, worker) = (BatchWorld.ids[index].text, workers[index])
    if worker.presence != nil { add("presence of \(name)") { $0.hear(index) } }
    guard worker.isAlive else {
      if worker.presence == nil, claims.welcomed.contains(BatchWorld.ids[index]) {
        add("lease of \(name)") { $0.leasePasses(index) }
      }
      return
    }
    if !queue.isEmpty, worker.unacked.count < BatchWorld.tellers { add("deliver to \(name)") { $0.deliver(to: index) } }
    if !worker.wire.isEmpty { add("\(name) reads") { $0.read(by: index) } }
    if asks(index) { add("\(name) asks") { $0.ask(by: index) } }
    for running in worker.tray.running { add("\(name) finishes \(job(running.release))") { $0.finish(running, index) } }
    for done in worker.tray.reporting { add("\(name) reports \(job(done.release))") { $0.report(done, index) } }
    if deaths > 0 { add("\(name) dies") { $0.die(index) } }
  }

  /// Until it is answered, but not while the question or the answer is on its way.
  private func asks(_ index: Int) -> Bool {
    workers[index].tray.openClaims.contains { claim in
      let isUnderWay = reports.contains { report in
        guard case .claims(let requests) = report else { return false }
        return requests.contains { $0.worker == BatchWorld.ids[index] && $0.number == claim.number }
      }
      let isAnswered = workers[index].wire.contains { item in
        if case .answer(_, claim.number, _) = item { true } else { false }
      }
      return !isUnderWay && !isAnswered && !claims.isOpen(claim.release)
    }
  }

  /// It is read at once: nothing is started by it, so that it does not matter what is read before.
  private mutating func deliver(to index: Int) {
    let job = queue.removeFirst()
    workers[index].unacked.append(job)
    let action = workers[index].tray.delivered(release(job), token: 1, tag: UInt64(job), mustClaim: true)
    if case .ack(let tag) = action { ack(tag, by: index) }
  }

  private mutating func read(by index: Int) {
    let action: TrayAction
    switch workers[index].wire.removeFirst() {
    case .answer(let job, let claim, let verdict):
      action = workers[index].tray.answered(release(job), claim: claim, verdict)
    case .probe(let number):
      workers[index].tray.probed(number)
      let listed = workers[index].tray.listed.sorted { job($0.release) < job($1.release) }
      workers[index].presence = Presence(probe: number, running: off == .listsAll ? Array(listed.prefix(1)) : listed)
      return
    }
    if case .ack(let tag) = action { ack(tag, by: index) }
  }

  private mutating func ack(_ tag: UInt64, by index: Int) { workers[index].unacked.removeAll { UInt64($0) == tag } }

  private mutating func ask(by index: Int) {
    reports.append(
      .claims(
        workers[index].tray.openClaims.map {
          ClaimRequest(
            release: $0.release, ledger: BatchWorld.ledger, worker: BatchWorld.ids[index], number: $0.number)
        }))
  }

  private mutating func finish(_ running: RunningRelease, _ index: Int) {
    workers[index].tray.finished(running.release)
    effects[job(running.release)] += 1
  }

  private mutating func report(_ done: RunningRelease, _ index: Int) {
    reports.append(.outcome(job: job(done.release), token: done.token))
    if let tag = workers[index].tray.reportConfirmed(done.release) { ack(tag, by: index) }
  }

  private mutating func die(_ index: Int) {
    deaths -= 1
    for lost in workers[index].tray.reporting { excuses[job(lost.release)] += 1 }
    queue = workers[index].unacked + queue
    workers[index] = Worker(isAlive: false, presence: workers[index].presence)
  }
}

// MARK: - The coordinator

extension BatchWorld {
  private mutating func hear(_ index: Int) {
    guard let presence = workers[index].presence else { return }
    workers[index].presence = nil
    let running = presence.running.filter { $0.token >= progress[job($0.release)].token }.map(\.release)
    carryOut(claims.present(BatchWorld.ids[index], probe: presence.probe, running: running))
    carryOut(claims.flush())
  }

  private mutating func leasePasses(_ index: Int) {
    let ran = claims.lastKnown(of: BatchWorld.ids[index]).filter(isCurrent)
    carryOut(claims.leasePassed(BatchWorld.ids[index]))
    for release in ran { carryOut(claims.claimForCoordinator(release)) }
    carryOut(claims.flush())
  }

  private mutating func record(_ batch: Int) {
    let recorded = reports.prefix(batch)
    reports.removeFirst(batch)
    for report in recorded {
      switch report {
      case .outcome(let job, let token):
        let release = release(job)
        guard case .finish = progress[job].apply(.reported(token: token, .succeeded(result: [], contentType: nil)))
        else { continue }
        carryOut(claims.superseded(release))
      case .fence(let number): carryOut(claims.fenceReturned(number))
      case .claims(let requests):
        for request in requests { carryOut(claims.claim(request, isCurrent: isCurrent(request.release))) }
      }
    }
    carryOut(claims.flush())
  }

  private mutating func carryOut(_ actions: [ClaimAction]) {
    for action in actions {
      switch action {
      case .probe(let number, let ids): probe(number, ids)
      case .fence(let number):
        if off == .fence { carryOut(claims.fenceReturned(number)) } else { reports.append(.fence(number)) }
      case .answer(let request, let verdict): answer(request, verdict)
      case .grant(let request):
        let number = job(request.release)
        guard case .grant = progress[number].apply(.claimGranted) else { return answer(request, .drop) }
        progress[number].deaths = 0
        answer(request, .run(token: progress[number].token, attempt: 1))
      case .releaseAnew(let release):
        guard case .release = progress[job(release)].apply(.foundLost) else { continue }
        progress[job(release)].deaths = 0
        queue.append(job(release))
      case .keep: break
      }
    }
  }

  private mutating func probe(_ number: Int, _ ids: [WorkerID]) {
    for (index, id) in BatchWorld.ids.enumerated() where ids.contains(id) {
      if off == .probe { carryOut(claims.present(id, probe: number, running: claims.lastKnown(of: id))) }
      if workers[index].isAlive, !workers[index].wire.contains(.probe(number)) {
        workers[index].wire.append(.probe(number))
      }
    }
  }

  private mutating func answer(_ request: ClaimRequest, _ verdict: Verdict) {
    guard let index = BatchWorld.ids.firstIndex(of: request.worker), workers[index].isAlive else { return }
    workers[index].wire.append(.answer(job: job(request.release), claim: request.number, verdict))
  }
}
