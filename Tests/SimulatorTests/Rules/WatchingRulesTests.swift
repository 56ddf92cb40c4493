import AuditSupport
import Decisions
import JobModel
import Testing

@testable import Bookkeeping
@testable import Simulator

/// The rules of each change of a job: what is wrong in the ledger at that moment is found, and nothing else.
@Suite("The simulator's rules of each turn")
struct WatchingRulesTests {
  /// What is found when a coordinator tells of a change.
  private func found(
    _ job: JobID, _ from: JobState?, _ to: JobState, in department: Department = "work", plan: JobID? = nil,
    kind: JobKind = "quick", _ bench: RuleBench
  ) -> [String] {
    let identity = JobIdentity(id: job, kind: kind, department: department)
    bench.node.watch([JobChange(job: identity, plan: plan, from: from, to: to)])
    return bench.found()
  }

  @Test("finds a change from a state in which the job was not")
  func states() throws {
    let bench = try RuleBench()
    let (job, event) = (JobID(), JobID())
    #expect(found(job, nil, .held, bench).isEmpty)
    #expect(found(job, .held, .queued, bench).isEmpty)
    #expect(found(job, .held, .cancelled, bench).count == 1)
    // The job of an event may be taken back, and made anew.
    for _ in 1...2 { #expect(found(event, nil, .held, bench).isEmpty) }
    #expect(found(event, .queued, .succeeded, bench).count == 1)
  }

  @Test("finds a job that is released at once, and overtakes one that waits for room alone")
  func turn() throws {
    let bench = try RuleBench()
    let first = try bench.job()
    let second = try bench.job(["state": "1"])
    #expect(found(second, nil, .queued, bench).first?.contains(first.description) == true)
    for (column, value) in [("priority", "4"), ("kind", "'long'"), ("department", "'ahead'"), ("number", "0")] {
      let other = try bench.job(["state": "1", column: value])
      #expect(found(other, nil, .queued, bench).isEmpty, "\(column)")
    }
  }

  @Test(
    "lets a job overtake what waits for more than room",
    arguments: [
      ("not_before", "9"), ("open_dependencies", "1"), ("withheld", "1"), ("withheld", "2"), ("release", "1"),
      ("order_plan", "5"),
    ])
  func overtakes(column: String, value: String) throws {
    let bench = try RuleBench()
    try bench.job([column: value])
    let second = try bench.job(["state": "1"])
    #expect(found(second, nil, .queued, bench).isEmpty)
  }

  @Test("finds a job of a kind that waits for a handler, and is overtaken in the queue of its kind")
  func besideTurn() throws {
    let bench = try RuleBench()
    try bench.job(["withheld": "1"])
    let second = try bench.job(["state": "1", "beside": "1"])
    #expect(found(second, nil, .queued, bench).count == 1)
  }

  @Test("finds more released jobs than a cap allows, with those that are void")
  func cap() throws {
    let bench = try RuleBench(CoordinatorConfiguration(departments: [Departments.capped: DepartmentSettings(cap: 2)]))
    func releases() throws -> [String] {
      let job = try bench.job(["state": "1", "department": "'capped'"])
      return found(job, .held, .queued, in: Departments.capped, bench)
    }
    #expect(try releases().isEmpty)
    #expect(try releases().isEmpty)
    #expect(try releases().count == 1)
    try bench.node.file.change("UPDATE job SET state = 2")
    #expect(try releases().isEmpty)
    for release in 1...2 {
      let row = ["job": "1", "department": "'capped'", "priority": "5", "since": "0"]
      try bench.write("void", row.merging(["id": JobID().sql, "release": "\(release)"]) { $1 })
    }
    #expect(try releases().count == 1)
  }

  @Test("finds a job that a schedule makes which is not in the configuration any more")
  func schedule() throws {
    let bench = try RuleBench()
    #expect(found(JobID(), nil, .held, kind: "tick", bench).count == 1)
    bench.node.isReconfigured = true
    #expect(found(JobID(), nil, .held, kind: "tick", bench).isEmpty)
  }

  @Test("finds a job of a schedule that is gone, or that the schedule would make otherwise")
  func firing() throws {
    let tick = try #require(Setting.schedule("tick"))
    let bench = try RuleBench(CoordinatorConfiguration(schedules: [tick]))
    let now = Timestamp(milliseconds: bench.node.clock.wall.milliseconds / 60_000 * 60_000)
    #expect(found(tick.jobID(firedAt: now), nil, .held, kind: "tick", bench).isEmpty)
    #expect(found(JobID(schedule: "tock", firedAt: now), nil, .held, kind: "tick", bench).count == 1)
    #expect(found(tick.jobID(firedAt: now), nil, .held, in: "ahead", kind: "tick", bench).count == 1)
    for (level, isWrong) in [(4, false), (7, true)] {
      let job = tick.jobID(firedAt: now + .seconds(-60 * level))
      try bench.job(["id": job.sql, "kind": "'tick'", "priority": "\(level)"])
      #expect(found(job, nil, .held, kind: "tick", bench).isEmpty != isWrong)
    }
  }

  @Test("finds a job that is released behind the gate of a plan")
  func gate() throws {
    let bench = try RuleBench()
    try bench.write("plan_phase", RuleBench.phase("daily", areGatesOpen: false))
    // The gate may have been shut in the same turn.
    #expect(found(JobID(), .held, .queued, in: Departments.capped, bench).isEmpty)
    #expect(found(JobID(), .held, .queued, in: Departments.capped, bench).count == 1)
    #expect(found(JobID(), .held, .queued, in: Departments.ahead, bench).isEmpty)
    try bench.node.file.change("UPDATE plan_phase SET gates_open = 1")
    #expect(found(JobID(), .held, .queued, in: Departments.capped, bench).isEmpty)
  }

  @Test("finds a job that is released before the plan of the configuration is open")
  func behind() throws {
    let bench = try RuleBench()
    #expect(found(JobID(), .held, .queued, in: Departments.behind, bench).isEmpty)
    #expect(found(JobID(), .held, .queued, in: Departments.behind, bench).count == 1)
    #expect(found(JobID(), .held, .queued, in: Departments.ahead, bench).isEmpty)
    try bench.write("plan_phase", RuleBench.phase(Opening.name.name, areGatesOpen: true))
    #expect(found(JobID(), .held, .queued, in: Departments.behind, bench).isEmpty)
  }

  @Test("finds a plan that goes back while something of an earlier round is released")
  func round() throws {
    for state in [1, 2] {
      let bench = try RuleBench()
      let plan = try bench.run(of: "daily", phase: "running", department: "second")
      let earlier = try bench.job(["plan": plan.sql, "round": "1", "state": "\(state)"])
      let step = try bench.job(["plan": plan.sql, "round": "2"])
      let found = found(step, nil, .held, plan: plan, bench)
      #expect(found.contains { $0.contains(earlier.description) } == (state == 1))
    }
  }

  @Test("finds a plan that goes on, and has to go back")
  func returning() throws {
    let bench = try RuleBench()
    bench.world.record.steps = KnownSteps(optional: [], reentry: "broken", goingBack: ["third"])
    let plan = try bench.run(of: "daily", phase: "running", department: "second")
    let row = ["plan": plan.sql, "round": "1", "step": "'third'", "order_rank": "1"]
    let failed = try bench.job(row.merging(["state": "3", "error_code": "'broken'"]) { $1 })
    let next = try bench.job(row.merging(["state": "1", "step": "'last'", "order_rank": "2"]) { $1 })
    #expect(found(next, .held, .queued, plan: plan, bench).contains { $0.contains(failed.description) })
    try bench.node.file.change("UPDATE job SET error_code = 'other' WHERE state = 3")
    bench.node.states = [:]
    #expect(found(next, .held, .queued, plan: plan, bench).isEmpty)
  }

  @Test("finds an event that holds up the run that is under way")
  func eventBeforeRun() throws {
    for (place, isWrong) in [(50, true), (150, false)] {
      let bench = try RuleBench()
      let plan = try bench.run(of: Opening.name.name, phase: "running", number: 100, department: "second")
      let job = try bench.job(
        ["plan": plan.sql, "round": "0", "department": "'second'", "order_plan": "\(place)", "order_rank": "1"])
      let event = [
        "id": job.sql, "name": "'call'", "plan": "'\(Opening.name.name)'", "department": "'second'",
        "kind": "'step'", "state": "'acted'", "received_at": "0",
      ]
      try bench.write("event", event)
      #expect(found(job, nil, .held, in: Departments.second, plan: plan, bench).isEmpty != isWrong)
    }
  }

  @Test(
    "finds the job of an event in another department than its plan's",
    arguments: [("ended", "second"), ("running", "init")])
  func events(phase: String, wanted: String) throws {
    var configuration = CoordinatorConfiguration()
    configuration.plans[Opening.name] = Opening.settings(in: Departments.second, startOn: .command)
    let bench = try RuleBench(configuration)
    // Its last run is where an operator has moved it.
    let plan = try bench.run(of: Opening.name.name, phase: phase, department: "init")
    for department in [Departments.ordered, Departments.second] {
      let job = try bench.job(["plan": plan.sql, "round": "0", "department": "'\(department)'"])
      #expect(found(job, nil, .held, in: department, plan: plan, bench).isEmpty == (department.name == wanted))
    }
  }
}
