import AuditSupport
import JobModel
import Testing

/// That the checker finds what runs too soon, or in another order than it should.
@Suite("What the checker finds of turns and pauses")
struct TurnCheckerTests {
  private static func broken(_ scene: Scene) -> Set<Invariant> {
    Set(scene.violations.filter { !$0.value.isEmpty }.keys)
  }

  @Test("finds a job that was tried again before its back-off, or before the time to which it was put off")
  func hasty() {
    for (end, pause) in [(Run.End.failed, 500), (.snoozed, 700)] {
      for rest in [pause, pause - 100] {
        var scene = Scene()
        let job = JobID()
        var wanted = Wanted()
        wanted.pauses = Wanted.Pauses(
          retries: [.init(RetrySettings(first: .milliseconds(500), jitter: 0))], snooze: .milliseconds(700))
        scene.addAccepted(job, wanted)
        scene.addRun(job, 100...200, end)
        let attempt = end == .failed ? 2 : 1
        scene.addRun(job, (200 + rest)...2_000, attempt: attempt)
        scene.end(job, .succeeded, attempt: attempt, at: 2_000, told: 2_100)
        if end == .failed { scene.findings.ledger.jobs[job]?.attempts = [1: "failed"] }
        #expect(Self.broken(scene) == (rest == pause ? [] : [.waits]))
      }
    }
  }

  @Test("takes a back-off for over as one of the settings has it that may have been in force when the attempt failed")
  func changed() {
    // Short pauses until 150, or from 400 on; long ones meanwhile.
    for (next, isWrong) in [(699, false), (600, false), (540, true), (250, true)] {
      var scene = Scene()
      let (job, short) = (JobID(), RetrySettings(first: .milliseconds(200), jitter: 0))
      var wanted = Wanted()
      wanted.pauses = Wanted.Pauses(retries: [
        .init(short, until: scene.time(150)),
        .init(RetrySettings(first: .milliseconds(900), jitter: 0), from: scene.time(150)),
        .init(short, from: scene.time(400)),
      ])
      scene.addAccepted(job, wanted)
      scene.addRun(job, 100...200, .failed)
      scene.addRun(job, next...2_000, attempt: 2)
      scene.end(job, .succeeded, attempt: 2, at: 2_000, told: 2_100)
      scene.findings.ledger.jobs[job]?.attempts = [1: "failed"]
      #expect(Self.broken(scene) == (isWrong ? [.waits] : []), "\(next)")
    }
  }

  @Test("finds jobs of an ordered department that ran beside one of another turn")
  func beside() {
    var scene = Scene()
    for (job, rank) in zip(scene.jobs, [1, 1, 2]) {
      scene.findings.ledger.jobs[job]?.department = "init"
      scene.findings.ledger.jobs[job]?.order = .init(plan: 7, rank: rank)
    }
    #expect(Self.broken(scene) == [.waits])
    scene.record.moved = [scene.jobs[2]]
    #expect(Self.broken(scene).isEmpty)
    scene.record.moved = []
    // Its worker was frozen: nobody knew that it ran.
    scene.cutOff(Scene.worker, from: 120, until: 180)
    #expect(Self.broken(scene).isEmpty)
  }

  @Test("finds a step that ran before one of a lower rank of its plan had ended")
  func early() {
    var scene = Scene()
    let plan = JobID()
    let (first, second) = (JobID(), JobID())
    for (job, rank, times) in [(first, 1, 2_000...5_000), (second, 2, 100...200)] {
      scene.addAccepted(job)
      scene.addRun(job, times)
      scene.end(job, .succeeded, at: times.upperBound, told: times.upperBound + 10)
      scene.findings.ledger.jobs[job]?.order = .init(plan: 7, rank: rank)
      scene.findings.ledger.jobs[job]?.round = 1
    }
    // Jobs of no plan only take turns.
    #expect(Self.broken(scene).isEmpty)
    for job in [first, second] { scene.findings.ledger.jobs[job]?.plan = plan }
    #expect(Self.broken(scene) == [.waits])
  }

  @Test("finds plans whose end does not follow from their steps")
  func plans() {
    var scene = Scene()
    scene.record.steps = KnownSteps(optional: ["beside"], reentry: "broken")
    let plan = JobID()
    for (job, step) in zip(scene.jobs, ["first", "beside"]) {
      scene.findings.ledger.jobs[job]?.plan = plan
      scene.findings.ledger.jobs[job]?.step = step
      scene.findings.ledger.jobs[job]?.round = 1
    }
    scene.findings.ledger.plans = [plan: LedgerState.succeeded]
    #expect(Self.broken(scene).isEmpty)
    scene.findings.ledger.plans = [plan: LedgerState.failed]
    #expect(Self.broken(scene) == [.once])
    scene.findings.ledger.plans = [plan: LedgerState.succeeded]
    scene.record.want(Wanted(outcomes: [.succeeded, .failed]), of: scene.jobs[1])
    scene.findings.ledger.jobs[scene.jobs[1]]?.state = LedgerState.failed
    scene.findings.ledger.jobs[scene.jobs[1]]?.errorCode = "broken"
    #expect(!Self.broken(scene).contains(.once))
    scene.findings.ledger.jobs[scene.jobs[1]]?.attempt = 2
    #expect(Self.broken(scene).contains(.once))
    // It succeeded in the end, and should never have been tried again.
    scene.record.steps?.goingBack = ["first"]
    scene.findings.ledger.jobs[scene.jobs[1]]?.attempt = 1
    scene.findings.ledger.jobs[scene.jobs[0]]?.attempts = [1: "failed"]
    #expect(Self.broken(scene).contains(.once))
    scene.findings.ledger.jobs[scene.jobs[0]]?.attempts = [:]
    scene.findings.ledger.jobs[scene.jobs[1]]?.attempt = 1
    scene.findings.ledger.jobs[scene.jobs[1]]?.step = "second"
    #expect(Self.broken(scene).contains(.once))
  }

  @Test("finds a step that had its plan go back, and is left to somebody")
  func left() {
    var scene = Scene()
    scene.record.steps = KnownSteps(optional: [], reentry: "broken")
    let (plan, failed) = (JobID(), scene.jobs[0])
    for (job, round) in zip(scene.jobs, [1, 2]) {
      scene.findings.ledger.jobs[job]?.plan = plan
      scene.findings.ledger.jobs[job]?.step = "first"
      scene.findings.ledger.jobs[job]?.round = round
    }
    scene.findings.ledger.jobs[failed]?.state = LedgerState.failed
    scene.findings.ledger.jobs[failed]?.errorCode = "broken"
    #expect(Self.broken(scene).contains(.once))
    scene.findings.ledger.jobs[failed]?.isSettled = true
    #expect(!Self.broken(scene).contains(.once))
    // Its plan does not go back any more, and has failed with it.
    scene.findings.ledger.jobs[failed]?.isSettled = false
    scene.findings.ledger.jobs[scene.jobs[1]]?.round = 1
    #expect(!Self.broken(scene).contains(.once))
  }
}
