import AMQP
import AuditSupport
import Decisions
import JobModel
import JobTransport

/// The plan of the configuration: somebody starts it, and a department waits until it is open.
enum Opening {
  static let name: PlanName = "opening"
  static let event: EventName = "call"

  static func settings(in department: Department, startOn: PlanSettings.StartOn) -> PlanSettings {
    let steps = (1...4).map { number in
      PlanStep(name: "step\(number)", kind: "step", rank: (number + 1) / 2, attempts: 8)
    }
    let definition = PlanDefinition(
      name: name, department: department, steps: steps,
      events: [PlanEvent(event, rank: 1, kind: "step", whenOpen: .run)], gates: [Departments.behind])
    return PlanSettings(definition, startOn: startOn)
  }
}

extension Load {
  private func start(_ payload: [UInt8]) -> Publishing? {
    try? SubmissionCodec.encode(PlanStart(id: world.newID(), plan: Opening.name, payload: payload))
  }

  /// A job of the department that waits until the plan is open.
  func gated() {
    for _ in 0..<world.number(1...3) {
      var job = Submission(
        id: world.newID(), kind: "step", payload: Script(length: .milliseconds(world.number(1...200))).payload,
        contentType: "application/json")
      (job.department, job.maxAttempts) = (Departments.behind, 8)
      job.rank = world.number(1...3)
      client.submit(job, Wanted())
    }
  }

  /// Starts the plan of the configuration, of which each step has the payload of the start.
  func opening() {
    let length = Duration.milliseconds(world.number(1...200))
    let script = world.chance(35) ? Script(length: length, .hopeless) : Script(length: length)
    let id = world.newID()
    let start = PlanStart(id: id, plan: Opening.name, payload: script.payload)
    if let message = try? SubmissionCodec.encode(start) { client.submit(id, message) }
  }

  /// An event for the plan of the configuration.
  func called() {
    let script = Script(length: .milliseconds(world.number(1...300)), world.chance(40) ? .later : .succeed)
    let event = EventSubmission(id: world.newID(), name: Opening.event, content: JobContent(payload: script.payload))
    if let message = try? SubmissionCodec.encode(event) { client.submit(event.id, message) }
  }

  /// Every step would have a payload that together are more than a plan may have.
  func forbidden() {
    let payload = Array("\"\(String(repeating: "x", count: 300_000))\"".utf8)
    if let message = start(payload) { client.offer(message, "has payloads that are too large together") }
  }
}

extension Operators {
  /// Stops the plan of the configuration, and says what becomes of what waits for it.
  func stopOpening() {
    client.command(.stopPlan(PlanStopOrder(plan: Opening.name, gates: world.chance(60) ? .open : .keep)))
  }

  /// The plan of the configuration is to run in another department from now on.
  func moveOpening() {
    world.after(.zero, nil, "moves a plan to another department") { [world] in
      guard var wanted = world.coordinators.first?.configuration else { return }
      let present = wanted.plans[Opening.name]?.definition.department
      wanted.plans[Opening.name]?.definition.department =
        present == Departments.second ? Departments.ordered : Departments.second
      try world.reload(wanted)
    }
  }
}
