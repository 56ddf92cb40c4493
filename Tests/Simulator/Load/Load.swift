import AuditSupport
import Decisions
import JobModel
import JobTransport
import Foundation

/// What clients submit: jobs of every sort.
struct Load {
  let world: World
  let client: ClientNode

  /// A job of which nothing is known but that it should succeed.
  func job(_ kind: JobKind, _ script: Script, attempts: Int? = nil) -> Submission {
    var job = Submission(id: world.newID(), kind: kind, payload: script.payload, contentType: "application/json")
    job.department = kind == "aside" || world.chance(60) ? Departments.work : world.some(of: Departments.plain)
    if kind == "alert" { job.department = Departments.work }
    job.priority = Priority(world.number(0...9)) ?? .normal
    job.maxAttempts = attempts
    if world.chance(5) { job.content.headers = ["tenant": "a"] }
    return job
  }

  var length: Duration { .milliseconds(world.chance(80) ? world.number(1...120) : world.number(120...900)) }

  /// How many sorts of errands there are, beside plain jobs.
  static let errands = 37

  func submit() {
    let errands: [(Int, () -> Void)] = [
      (6, flaky), (4, hopeless), (3, exhausted), (5, delayed), (6, keyed), (5, depending), (5, cancelled), (3, long),
      (7, aside), (3, snoozed), (2, discarded), (3, timed), (2, deaf), (3, once), (2, late), (3, waiting),
      (4, ordered), (3, plan), (2, twice), (3, later), (4, namedPlan), (5, event), (2, killer), (1, burst),
      (1, mistyped), (2, otherContent), (1, circle), (3, wide), (3, returning),
      (4, series), (4, gated), (4, opening), (6, called), (2, forbidden), (2, crowd), (3, pausing),
      (2, deadly),
    ]
    let weights = zip(errands, world.swarm).map { $0.0 * $1 }
    var draw = world.number(0...weights.reduce(Load.plainWeight, +) - 1) - Load.plainWeight
    if draw < 0 { return plain() }
    for (weight, errand) in zip(weights, errands) {
      draw -= weight
      if draw < 0 { return errand.1() }
    }
  }

  private static let plainWeight = 30

  /// More than a window takes.
  private func burst() {
    var first = job(world.chance(50) ? "aside" : "quick", Script(length: length), attempts: 8)
    for _ in 0..<world.number(8...25) {
      first.id = world.newID()
      client.submit(first, Wanted())
    }
  }

  /// Long jobs in front of short ones, where workers take jobs ahead: what is taken waits for long.
  private func crowd() {
    let longOnes = world.number(3...6)
    for number in 0..<longOnes + world.number(2...6) {
      let isLong = number < longOnes
      let script = Script(length: isLong ? .milliseconds(world.number(5_000...9_000)) : length)
      var job = job(isLong ? "long" : "quick", script, attempts: 8)
      job.department = Departments.ahead
      job.priority = .normal
      client.submit(job, Wanted())
    }
  }

  /// A kind that nobody has a handler for: somebody takes it back.
  private func mistyped() {
    let job = job("quik", Script(length: length), attempts: 8)
    client.submit(job, Wanted(outcomes: [.cancelled]))
    client.after(.milliseconds(world.number(100...6_000)), "takes \(job.id) back") { [client] in
      client.command(.cancel(JobSelection(jobs: [job.id])), about: [job.id])
    }
  }

  private func plain() {
    client.submit(job("quick", Script(length: length), attempts: 8), Wanted(), isEarly: world.chance(40))
  }

  /// Submits a job that should succeed.
  @discardableResult
  func plainJob(in department: Department) -> JobID {
    var plain = job("quick", Script(length: length), attempts: 8)
    plain.department = department
    client.submit(plain, Wanted())
    return plain.id
  }

  private func flaky() {
    client.submit(job("flaky", Script(length: length, .fail, times: world.number(1...2)), attempts: 8), Wanted())
  }

  private func later() { client.submit(job("flaky", Script(length: length, .later, times: 1), attempts: 8), Wanted()) }

  private func hopeless() {
    client.submit(
      job("hopeless", Script(length: length, .hopeless), attempts: 8), Wanted(outcomes: [.failed], mayBeReplayed: true))
  }

  private func exhausted() {
    client.submit(
      job("flaky", Script(length: length, .fail, times: 9), attempts: 2),
      Wanted(outcomes: [.failed], mayBeReplayed: true))
  }

  private func delayed() {
    var job = job("quick", Script(length: length), attempts: 8)
    let delay = Duration.milliseconds(world.number(1...6_000))
    job.runAt = .within(delay)
    client.submit(job, Wanted(delay: delay))
  }

  private func keyed() {
    let (key, window) = someKey()
    if window != Load.longWindow || key.hasPrefix(Load.freed) { world.record.keysWhileLive.insert(key) }
    for _ in 0..<world.number(1...3) {
      var job = job("keyed", Script(length: length), attempts: 8)
      job.department = Departments.work
      job.key = SubmissionKey(text: key, window: window)
      client.submit(
        job, Wanted(outcomes: key.hasPrefix(Load.freed) ? [.succeeded, .cancelled] : [.succeeded], key: key))
    }
    if world.chance(50) { ask(about: key) }
  }

  private static let longWindow = KeyWindow.lasting(.seconds(3_000))
  /// Keys that operators free and reset.
  private static let freed = "free-"

  /// A key that nobody uses again, or one that is free with its job, after a while, or when an operator says so.
  private func someKey() -> (key: String, window: KeyWindow) {
    switch world.number(0...9) {
    case 0...2: return ("live-\(world.number(0...2))", .whileLive)
    case 3: return ("short-\(world.number(0...2))", .lasting(.milliseconds(world.number(500...6_000))))
    case 4...5: return ("\(Load.freed)\(world.number(0...2))", Load.longWindow)
    default:
      if world.chance(60) { world.lastKey += 1 }
      return ("key-\(world.number(0...3))-\(world.lastKey)", Load.longWindow)
    }
  }

  /// Somebody asks for the outcome of a key, before or after its job has ended.
  private func ask(about key: String) {
    let question = KeyQuestion(
      JobKey(kind: "keyed", key: key), limit: .milliseconds(world.chance(20) ? 0 : world.number(500...6_000)))
    client.after(.milliseconds(world.number(1...3_000)), "asks about \(key)") { [client] in client.ask(.key(question)) }
  }

  private func depending() {
    let isHopeless = world.chance(30)
    var first = job("quick", isHopeless ? Script(length: length, .hopeless) : Script(length: length), attempts: 8)
    // What is refused would be waited for, for ten minutes.
    first.department = Departments.work
    var second = job("quick", Script(length: length), attempts: 8)
    second.department = Departments.work
    var others: [JobID] = []
    for _ in 0..<(world.chance(30) ? world.number(1...3) : 0) { others.append(plainJob(in: Departments.work)) }
    second.after = Dependencies(jobs: others + [first.id], rule: world.chance(50) ? .fail : .cancel)
    let outcome: JobState = !isHopeless ? .succeeded : second.after?.rule == .fail ? .failed : .cancelled
    let (ours, theirs) = (
      Wanted(outcomes: [isHopeless ? .failed : .succeeded]), Wanted(outcomes: [outcome], after: first.id)
    )
    if world.chance(50) {
      client.submit(first, ours)
      client.submit(second, theirs)
    } else {
      client.submit(second, theirs)
      client.submit(first, ours)
    }
  }

  private func cancelled() {
    let kind: JobKind = world.chance(30) ? "aside" : "quick"
    var job = job(kind, Script(length: .milliseconds(world.number(1...3_000))), attempts: 8)
    if world.chance(30) { job.runAt = .within(.milliseconds(world.number(100...2_000))) }
    client.submit(job, Wanted(outcomes: [.succeeded, .cancelled]))
    let id = job.id
    client.after(.milliseconds(world.number(1...3_000)), "takes \(id) back") { [client] in
      client.command(.cancel(JobSelection(jobs: [id])), about: [id])
    }
  }

  private func long() {
    client.submit(job("long", Script(length: .milliseconds(world.number(3_000...9_000))), attempts: 8), Wanted())
  }

  private func aside() { client.submit(job("aside", Script(length: length), attempts: 8), Wanted()) }

  private func snoozed() {
    client.submit(job("quick", Script(length: length, .snooze, times: world.number(1...2)), attempts: 8), Wanted())
  }

  private func discarded() {
    client.submit(job("quick", Script(length: length, .discard), attempts: 8), Wanted(outcomes: [.cancelled]))
  }

  private func timed() {
    var job = job("own", Script(length: length, .hang), attempts: 2)
    job.timeout = .milliseconds(world.number(200...1_500))
    client.submit(job, Wanted(outcomes: [.failed], mayBeReplayed: true))
  }

  private func deaf() {
    var job = job("quick", Script(length: length, .deaf), attempts: 1)
    job.timeout = .milliseconds(world.number(200...1_500))
    client.submit(job, Wanted(outcomes: [.failed], mayBeReplayed: true))
  }

  private func once() { client.submit(job("once", Script(length: length)), Wanted(outcomes: [.succeeded, .failed])) }

  private func late() {
    var job = job("quick", Script(length: length), attempts: 8)
    job.startBy = .within(.milliseconds(world.number(1...3_000)))
    client.submit(job, Wanted(outcomes: [.succeeded, .failed]))
  }

  /// A job that kills its worker, once or each time.
  private func killer() {
    let script = Script(length: length, .kill, times: world.chance(50) ? 1 : 99)
    client.submit(job("quick", script, attempts: 3), Wanted(outcomes: [.succeeded, .failed]))
    world.killers += 1
  }

  private func waiting() { client.submit(job("quick", Script(length: length, .wait), attempts: 8), Wanted()) }

  private func ordered() {
    for _ in 0..<world.number(1...3) {
      var job = job("step", Script(length: length), attempts: 8)
      job.department = Departments.ordered
      job.rank = world.number(1...4)
      client.submit(job, Wanted())
    }
  }

  /// The same id once more, with another payload.
  private func otherContent() {
    let first = job("quick", Script(length: length), attempts: 8)
    client.onAccepted[first.id] = { [client] in
      var second = first
      second.content.payload = Script(length: .milliseconds(7_777)).payload
      second.submittedAt = client.world.wall
      let message = SubmissionCodec.encode(second)
      client.after(.milliseconds(1), "offers \(first.id) with another payload") { [client] in
        client.offer(message, "has the id of another job")
      }
    }
    client.submit(first, Wanted())
  }

  /// A plan that waits for one that waits for it.
  private func circle() {
    let step = PlanStep(name: "first", kind: "step", rank: 1, payload: Script(length: length).payload)
    let definition = PlanDefinition(
      name: "circle", department: Departments.behind, steps: [step], gates: [Departments.second, Departments.ordered])
    guard let message = try? SubmissionCodec.encode(PlanSubmission(id: world.newID(), definition: definition)) else {
      return
    }
    client.offer(message, "waits for itself")
  }

  private func twice() {
    let job = job("quick", Script(length: length), attempts: 8)
    client.submit(job, Wanted(), isEarly: world.chance(50))
    let id = job.id
    client.after(.milliseconds(world.number(1...2_000)), "submits \(id) again") { [client] in client.submitAgain(job) }
  }
}
