import AuditSupport
import JobModel
import JobTransport

// Plans of which somebody stops a run, moves a step, or starts the next run while events wait.
extension Load {
  func plan() {
    let steps = (1...world.number(1...3)).map { number in
      PlanStep(
        name: "step\(number)", kind: "step", rank: world.number(1...3), payload: Script(length: length).payload,
        attempts: 8)
    }
    let plan = PlanSubmission(id: world.newID(), department: Departments.ordered, steps: steps)
    if let message = try? SubmissionCodec.encode(plan) { client.submit(plan.id, message, to: Departments.ordered) }
  }

  func namedPlan() {
    let steps = [
      PlanStep(name: "first", kind: "step", rank: 1, payload: Script(length: length).payload, attempts: 8),
      PlanStep(
        name: "beside", kind: "step", rank: 1, payload: Script(length: length, .hopeless).payload, isRequired: false,
        attempts: 8),
      PlanStep(name: "second", kind: "step", rank: 2, payload: Script(length: length).payload, attempts: 8),
      PlanStep(
        name: "third", kind: "step", rank: 3,
        payload: (world.chance(50) ? Script(length: length, .fail, times: 1) : Script(length: length)).payload,
        attempts: 3, reentry: Reentry(on: "broken", from: "first", atMost: 2)),
      PlanStep(
        name: "last", kind: "step", rank: world.number(3...4), payload: Script(length: length).payload, attempts: 8),
    ]
    let definition = PlanDefinition(
      name: "daily", department: Departments.ordered, steps: steps,
      events: [
        PlanEvent("push", rank: world.number(1...4), kind: "step", whenOpen: .run),
        PlanEvent("link", rank: world.number(1...4), kind: "step", whenOpen: .announce),
      ], gates: world.chance(50) ? [Departments.capped] : [])
    let plan = PlanSubmission(id: world.newID(), definition: definition)
    if let message = try? SubmissionCodec.encode(plan) { client.submit(plan.id, message, to: Departments.ordered) }
  }

  func event() {
    let event = EventSubmission(
      id: world.newID(), name: world.chance(50) ? "push" : "link",
      content: JobContent(payload: Script(length: length).payload))
    guard let message = try? SubmissionCodec.encode(event) else { return }
    client.submit(event.id, message)
    if world.chance(50) {
      let choice = EventChoice(world.chance(70) ? .accept : .dismiss, event.id)
      let id = world.newID()
      client.after(.milliseconds(world.number(100...4_000)), "chooses about \(event.id)") { [client] in
        client.submit(id, SubmissionCodec.encode(choice, id: id))
      }
    }
  }

  /// A step of a plan.
  private func step(_ name: String, _ rank: Int, _ script: Script, reentry: Reentry? = nil) -> PlanStep {
    PlanStep(name: name, kind: "step", rank: rank, payload: script.payload, attempts: 8, reentry: reentry)
  }

  private func submit(_ steps: [PlanStep]) -> JobID {
    let plan = PlanSubmission(id: world.newID(), department: Departments.ordered, steps: steps)
    if let message = try? SubmissionCodec.encode(plan) { client.submit(plan.id, message, to: Departments.ordered) }
    return plan.id
  }

  private func short(_ longest: Int = 120) -> Duration { .milliseconds(world.number(1...longest)) }

  /// An operator gives a step another rank.
  private func move(_ job: JobID, to rank: Int, after delay: Duration) {
    world.record.moved.insert(job)
    client.after(delay, "moves \(job)") { [client] in client.command(.rerank(RerankOrder(job: job, rank: rank))) }
  }

  /// More steps of one rank than there are tellers: some are moved while others of their rank run.
  func wide() {
    let count = world.number(5...10)
    let steps = (1...count).map { step("step\($0)", 1, Script(length: .milliseconds(world.number(200...900)))) }
    let plan = submit(steps + [step("end", 2, Script(length: short()))])
    for number in (1...count).suffix(world.number(1...3)) {
      let delay = Duration.milliseconds(world.number(20...700))
      move(JobID(plan: plan, step: "step\(number)"), to: world.number(2...4), after: delay)
    }
  }

  /// A plan goes back, unless a step of the same rank has not ended: an operator moves that step behind it.
  func returning() {
    let plan = submit([
      step("first", 1, Script(length: short())),
      step(
        "third", 2, Script(length: short(), .fail, times: 1), reentry: Reentry(on: "broken", from: "first", atMost: 2)),
      step("last", 2, Script(length: short(), .later, times: world.number(2...4))),
    ])
    move(JobID(plan: plan, step: "last"), to: world.number(3...5), after: .milliseconds(world.number(300...3_000)))
  }

  /// Events that are begun, and fail at first; the run of their plan is stopped, and the next one begins.
  func series() {
    startDaily()
    for _ in 0..<world.number(1...4) {
      let event = EventSubmission(
        id: world.newID(), name: world.chance(70) ? "push" : "link", plan: "daily",
        content: JobContent(payload: retried.payload))
      guard let message = try? SubmissionCodec.encode(event) else { continue }
      client.after(.milliseconds(world.number(50...3_000)), "sends \(event.id)") { [client] in
        client.submit(event.id, message)
      }
    }
    let stop = world.number(300...4_000)
    client.after(.milliseconds(stop), "stops the plan") { [client] in
      client.command(.stopPlan(PlanStopOrder(plan: "daily", gates: .open)))
    }
    client.after(.milliseconds(stop + world.number(5...900)), "starts the plan again") { startDaily() }
  }

  /// What is tried again after a while, once or more often.
  private var retried: Script {
    Script(length: short(600), world.chance(70) ? .later : .fail, times: world.number(1...3))
  }

  /// A short run of the plan that receives events; it opens, unless a step fails.
  private func startDaily() {
    let script = world.chance(20) ? Script(length: short(), .hopeless) : Script(length: short(400))
    let definition = PlanDefinition(
      name: "daily", department: Departments.ordered,
      steps: [step("first", 1, Script(length: short())), step("second", 2, script)],
      events: [
        PlanEvent("push", rank: world.number(1...3), kind: "step", whenOpen: .run),
        PlanEvent("link", rank: world.number(1...3), kind: "step", whenOpen: .announce),
      ])
    let plan = PlanSubmission(id: world.newID(), definition: definition)
    if let message = try? SubmissionCodec.encode(plan) { client.submit(plan.id, message, to: Departments.ordered) }
  }
}
