@testable import AuditSupport
import JobModel
import Testing

/// What may become of a job is what was asked for, and nothing else.
@Suite("The checker's rules of what was wanted")
struct WantedTests {
  @Test("finds an outcome that nobody asked for, and allows each that may be")
  func outcomes() {
    for state in [JobState.succeeded, .failed, .cancelled] {
      var scene = Scene()
      let job = JobID()
      scene.addAccepted(job, Wanted(leavesTraces: false, outcomes: [state]))
      scene.end(job, state)
      #expect(scene.broken.isEmpty)
      scene.record.want(
        Wanted(leavesTraces: false, outcomes: Set([JobState.succeeded, .failed, .cancelled]).subtracting([state])),
        of: job)
      #expect(scene.broken == [.outcome])
    }
  }

  @Test("allows a job to fail that was interrupted too often, if somebody was cut off")
  func poison() {
    var scene = Scene()
    let job = JobID()
    scene.addAccepted(job)
    scene.end(job, .failed)
    scene.findings.ledger.jobs[job]?.errorCode = "poison"
    #expect(scene.broken == [.outcome])
    scene.findings.ledger.jobs[job]?.attempts = [1: "interrupted"]
    #expect(scene.broken == [.outcome])
    scene.cutOff(Scene.worker, from: 10)
    #expect(scene.broken.isEmpty)
    scene.findings.ledger.jobs[job]?.errorCode = "asked_to_fail"
    #expect(scene.broken == [.outcome])
  }

  @Test("finds a job that was taken for interrupted while everybody was well")
  func innocent() {
    var scene = Scene()
    scene.findings.ledger.jobs[scene.jobs[0]]?.attempts = [1: "interrupted"]
    #expect(scene.broken == [.outcome])
    scene.findings.ledger.jobs[scene.jobs[0]]?.attempts = [:]
    #expect(scene.broken.isEmpty)
    scene.findings.ledger.jobs[scene.jobs[0]]?.deaths = 1
    #expect(scene.broken == [.outcome])
  }

  @Test("finds a job that started before its time")
  func delay() {
    var scene = Scene()
    scene.addSuccess(JobID(), Wanted(delay: .milliseconds(100)))
    #expect(scene.broken.isEmpty)
    scene.addSuccess(JobID(), Wanted(delay: .milliseconds(200)))
    #expect(scene.broken == [.waits])
  }

  @Test("finds a job that started before what it waits for had succeeded")
  func after() {
    var scene = Scene()
    let job = JobID()
    scene.addAccepted(job, Wanted(after: scene.jobs[0]))
    scene.addRun(job, 210...220)
    scene.end(job, .succeeded, at: 220)
    #expect(scene.broken.isEmpty)
    scene.findings.runs.removeLast()
    scene.addRun(job, 190...220)
    #expect(scene.broken == [.waits])
    // It waits for one that failed.
    scene = Scene()
    scene.addAccepted(job, Wanted(after: scene.jobs[0]))
    scene.addRun(job, 210...220)
    scene.end(job, .succeeded, at: 220)
    scene.findings.runs[0].end = .failed
    #expect(scene.broken == [.waits, .effects], "and the one that failed is recorded as a success")
  }

  @Test("takes a duplicate for there when the job with its key is, and finds two jobs with one key")
  func keys() {
    var scene = Scene()
    let (first, second) = (JobID(), JobID())
    scene.addSuccess(first, Wanted(key: "a"))
    scene.findings.ledger.jobs[first]?.key = "a"
    scene.addAccepted(second, Wanted(key: "a"))
    scene.record.learn(original: first, of: second)
    #expect(scene.broken.isEmpty)
    // Another key has nobody.
    scene.record.want(Wanted(key: "b"), of: second)
    #expect(scene.broken == [.outcome, .once])
    scene = Scene()
    for job in [first, second] {
      scene.addSuccess(job, Wanted(key: "a"))
      scene.findings.ledger.jobs[job]?.key = "a"
    }
    #expect(scene.broken == [.once])
  }

  @Test("finds a duplicate that was told of a job without its key, or that is there itself")
  func strayed() {
    var scene = Scene()
    scene.record.learn(original: scene.jobs[0], of: scene.jobs[1])
    #expect(scene.broken == [.once])
  }

  @Test("wants of a replay what was wanted of the job, and finds one that was replayed twice")
  func replays() {
    var scene = Scene()
    let job = JobID()
    scene.addAccepted(job, Wanted(leavesTraces: false, outcomes: [.failed]))
    scene.end(job, .failed)
    let replay = JobID()
    scene.end(replay, .failed)
    scene.findings.ledger.jobs[replay]?.againOf = job
    #expect(scene.broken.isEmpty)
    scene.findings.ledger.jobs[replay]?.state = LedgerState.succeeded
    #expect(scene.broken == [.outcome, .attempts])
    scene.findings.ledger.jobs[replay]?.state = LedgerState.failed
    let again = JobID()
    scene.end(again, .failed)
    scene.findings.ledger.jobs[again]?.againOf = job
    #expect(scene.broken == [.once])
  }
}
