@testable import Decisions
@testable import JobModel

/// Jobs of which some kill their worker, at any time after they began; workers that are started again at once; and a
/// coordinator that decides with the product's own values who is charged, and who is released when.
///
/// What workers tell is heard late or never: a job that was released fresh may kill unseen. Claims are granted and
/// concluded in any order; how that is safe is explored elsewhere.
struct SuspectWorld: SmallWorld {
  enum Rule: String, CaseIterable, Sendable {
    /// A death is charged only where no other job can have been the cause.
    case company
    /// Of a department's suspects one is released at a time.
    case line
    /// No two suspects run in one worker.
    case place
    /// A suspect waits for what was running at one death.
    case patience
    /// Whatever was running at a death is claimed before it runs, so that its start is known.
    case claimed
    /// The death of a suspect of which nothing is known is charged to it.
    case unknown
  }

  struct Setting: Sendable {
    /// Per job, its department; the first ones are the poison.
    var departments: [Int]
    var poisons = 1
    /// How many each worker has for each department. All workers serve all of them.
    var tellers: [Int]
    var attempts = 3
    /// How often an innocent may run.
    var mostRuns = 0
    /// At how many deaths a poison may run.
    var mostDeaths: Int
    /// How many workers may die for no job's sake, and how often the coordinator may start anew.
    var accidents = 0
    var restarts = 0
    /// A poison takes the coordinator with it each time: then nobody knows what ran where, and innocents may be condemned.
    var takesCoordinator = false
    var off: Rule?
  }

  enum Place: Hashable, Sendable {
    case line
    /// `isFresh`: nobody has had it, and it is not to be claimed.
    case queued(isFresh: Bool)
    /// `isHeard`: by grant or presence; `isPlaced`: this coordinator knows where.
    case running(worker: Int, isHeard: Bool, isPlaced: Bool)
    case cutOff
    case ended
  }

  struct Entry: Hashable, Sendable {
    var progress: JobProgress
    var place = Place.queued(isFresh: true)
    var runs = 0
    var returns = 0
  }

  static let condemned = "an innocent job was condemned"
  static let runsTooOften = "an innocent job ran too often"
  static let diesTooOften = "a job was running at too many deaths"
  static let circles = "a suspect is released and sent back again and again"
  static let mostReturns = 12

  private let setting: Setting
  private(set) var jobs: [Entry]
  private var accidents = 0
  private var restarts = 0

  init(_ setting: Setting) {
    self.setting = setting
    var progress = JobProgress(maxAttempts: setting.attempts)
    _ = progress.apply(.lifted)
    jobs = setting.departments.map { _ in Entry(progress: progress) }
  }

  static func == (left: SuspectWorld, right: SuspectWorld) -> Bool {
    left.jobs == right.jobs && left.accidents == right.accidents && left.restarts == right.restarts
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(jobs)
    hasher.combine(accidents)
    hasher.combine(restarts)
  }

  var violation: String? {
    for index in jobs.indices.dropFirst(setting.poisons) {
      if jobs[index].progress.state == .failed, !setting.takesCoordinator { return SuspectWorld.condemned }
      if jobs[index].runs > setting.mostRuns { return SuspectWorld.runsTooOften }
    }
    if jobs.contains(where: { $0.progress.deaths > setting.mostDeaths }) { return SuspectWorld.diesTooOften }
    return jobs.contains { $0.returns > SuspectWorld.mostReturns } ? SuspectWorld.circles : nil
  }

  var isDone: Bool { jobs.allSatisfy { $0.place == .ended } }

  private func isPoison(_ job: Int) -> Bool { job < setting.poisons }
  private func has(_ rule: Rule) -> Bool { setting.off != rule }
}

// MARK: - Steps

extension SuspectWorld {
  func next() -> [(step: String, world: SuspectWorld)] {
    var next: [(step: String, world: SuspectWorld)] = []
    for job in jobs.indices { next += steps(of: job) }
    for worker in setting.tellers.indices {
      let running = self.running(in: worker)
      let isKilled = running.contains(where: isPoison)
      guard isKilled || accidents < setting.accidents && !running.isEmpty else { continue }
      next.append(("worker \(worker) dies", changed { $0.die(worker, isAccident: !isKilled) }))
    }
    if restarts < setting.restarts { next.append(("the coordinator starts anew", changed { $0.restart() })) }
    return next
  }

  private func steps(of job: Int) -> [(step: String, world: SuspectWorld)] {
    switch jobs[job].place {
    case .line:
      return mayRelease(job) ? [("\(job) is released", changed { $0.release(job) })] : []
    case .queued(let isFresh):
      return setting.tellers.indices.filter { hasRoom(for: job, in: $0) }.map { worker in
        ("\(job) starts in \(worker)", changed { $0.start(job, in: worker, isFresh: isFresh) })
      }
    case .running(let worker, let isHeard, let isPlaced):
      let heard = isHeard && isPlaced ? [] : [("\(job) is seen", changed { $0.see(job, in: worker) })]
      return isPoison(job) ? heard : heard + [("\(job) succeeds", changed { $0.succeed(job) })]
    case .cutOff:
      return [("\(job) is taken back", changed { $0.takeBack(job) })]
    case .ended:
      return []
    }
  }

  private func changed(_ change: (inout SuspectWorld) -> Void) -> SuspectWorld {
    var world = self
    change(&world)
    return world
  }

  private func running(in worker: Int) -> [Int] {
    jobs.indices.filter { if case .running(worker, _, _) = jobs[$0].place { true } else { false } }
  }

  private func hasRoom(for job: Int, in worker: Int) -> Bool {
    let department = setting.departments[job]
    return running(in: worker).count { setting.departments[$0] == department } < setting.tellers[worker]
  }

  private mutating func start(_ job: Int, in worker: Int, isFresh: Bool) {
    guard !isFresh else {
      jobs[job].runs += 1
      return jobs[job].place = .running(worker: worker, isHeard: false, isPlaced: false)
    }
    let mayStart = !has(.place) || suspects.mayStart(SuspectWorld.ids[job], on: SuspectWorld.workers[worker])
    if jobs[job].progress.isSuspect, !mayStart {
      jobs[job].returns += 1
      return carryOut(jobs[job].progress.apply(.sentBack), job)
    }
    guard case .grant = jobs[job].progress.apply(.claimGranted) else { return }
    jobs[job].runs += 1
    jobs[job].place = .running(worker: worker, isHeard: true, isPlaced: true)
  }

  private mutating func see(_ job: Int, in worker: Int) {
    _ = jobs[job].progress.apply(.seenRunning(release: jobs[job].progress.release))
    jobs[job].place = .running(worker: worker, isHeard: true, isPlaced: true)
  }

  private mutating func succeed(_ job: Int) {
    let token = jobs[job].progress.token
    carryOut(jobs[job].progress.apply(.reported(token: token, .succeeded(result: [], contentType: nil))), job)
  }

  /// Its lease has passed. Another process takes its place.
  private mutating func die(_ worker: Int, isAccident: Bool) {
    accidents += isAccident ? 1 : 0
    let running = running(in: worker)
    let known = running.filter { if case .running(_, true, true) = jobs[$0].place { true } else { false } }
    let death = Death(
      of: Dictionary(uniqueKeysWithValues: known.map { (SuspectWorld.ids[$0], jobs[$0].progress.deaths) }),
      tellers: setting.tellers[worker] * Set(setting.departments).count, hadOthers: false)
    for job in known { jobs[job].progress.blame = has(.company) ? death.blame(on: SuspectWorld.ids[job]) : .alone }
    for job in running { jobs[job].place = .cutOff }
    if setting.takesCoordinator, running.contains(where: isPoison) { forget() }
    for job in running where !jobs[job].progress.wasStarted { jobs[job].place = .queued(isFresh: false) }
  }

  private mutating func restart() {
    restarts += 1
    forget()
  }

  private mutating func forget() {
    for job in jobs.indices {
      jobs[job].progress.seenRunning = false
      jobs[job].progress.blame = nil
      // Its message is back in the queue, and whoever has it asks.
      if jobs[job].place == .cutOff, !jobs[job].progress.wasStarted { jobs[job].place = .queued(isFresh: false) }
      guard case .running(let worker, _, _) = jobs[job].place else { continue }
      jobs[job].place = .running(worker: worker, isHeard: jobs[job].progress.wasStarted, isPlaced: false)
    }
  }

  private mutating func takeBack(_ job: Int) {
    if !has(.unknown) { jobs[job].progress.blame = jobs[job].progress.blame ?? .inCompany }
    carryOut(jobs[job].progress.apply(.foundLost), job)
  }

  private mutating func release(_ job: Int) { carryOut(jobs[job].progress.apply(.lifted), job) }

  private mutating func carryOut(_ effect: JobEffect, _ job: Int) {
    switch effect {
    case .release: jobs[job].place = .queued(isFresh: jobs[job].progress.deaths == 0 || !has(.claimed))
    case .withhold: jobs[job].place = .line
    case .finish: jobs[job].place = .ended
    case .grant, .hold, .show, .attemptFailed, .snooze, .ignore: break
    }
    forgetNumbers(of: job)
  }

  /// Numbers of releases and tokens say nothing but whether one was granted.
  private mutating func forgetNumbers(of job: Int) {
    let isGranted = jobs[job].progress.token > jobs[job].progress.release
    jobs[job].progress.release = 1
    jobs[job].progress.token = isGranted && jobs[job].progress.state == .queued ? 2 : 1
  }

  private func mayRelease(_ job: Int) -> Bool {
    guard has(.line) else { return true }
    return suspects.obstacle(
      to: SuspectWorld.department(setting.departments[job]), servedBy: Set(SuspectWorld.workers)) == nil
  }

  private var suspects: Suspects {
    var suspects = Suspects()
    for job in jobs.indices where jobs[job].progress.deaths > 0 || jobs[job].progress.blame != nil {
      guard let place = suspectPlace(of: job) else { continue }
      let (id, department) = (SuspectWorld.ids[job], SuspectWorld.department(setting.departments[job]))
      if jobs[job].progress.isSuspect {
        suspects.put(id, of: department, place)
      } else if has(.patience) {
        suspects.put(id, of: department, company: Set(SuspectWorld.workers), place)
      }
    }
    return suspects
  }

  private func suspectPlace(of job: Int) -> Suspects.Place? {
    switch jobs[job].place {
    case .line, .ended: nil
    case .queued: .queued
    case .running(let worker, _, let isPlaced): .started(on: isPlaced ? SuspectWorld.workers[worker] : nil)
    case .cutOff: jobs[job].progress.blame == nil ? .started(on: SuspectWorld.dead) : .queued
    }
  }

  private static let ids = (0..<8).map { _ in JobID() }
  private static let workers = ["a", "b", "c"].map { WorkerID($0) }
  private static let dead = WorkerID("dead")
  private static func department(_ number: Int) -> Department { ["work", "other", "third"][number] }
}
