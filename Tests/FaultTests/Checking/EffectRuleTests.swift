@testable import AuditSupport
import JobModel
import Testing

/// The rule of effects: each second run that must not be is found, and no other.
@Suite("The checker's rule of effects")
struct EffectRuleTests {
  /// A scene with one job whose first run, from 100 to 200 in `worker`, came to no record, and whose second one, from
  /// 5,000 to 5,100 in `other`, did.
  private func twice(attempt: Int = 1) -> (Scene, JobID) {
    var scene = Scene()
    let job = JobID()
    scene.addAccepted(job)
    scene.addRun(job, 100...200)
    scene.addRun(job, 5_000...5_100, attempt: attempt, in: Scene.other)
    scene.end(job, .succeeded, attempt: attempt, at: 5_100, told: 5_200)
    return (scene, job)
  }

  @Test("finds a second run when nothing was cut off")
  func nothing() {
    #expect(twice().0.broken == [.effects])
  }

  @Test("allows it when the first one's process was killed before it was recorded")
  func killed() {
    var (scene, _) = twice()
    scene.cutOff(Scene.worker, from: 150)
    #expect(scene.broken.isEmpty)
    // After its end, and before its record.
    (scene, _) = twice()
    scene.cutOff(Scene.worker, from: 900)
    #expect(scene.broken.isEmpty)
  }

  @Test("finds it when another process was cut off")
  func other() {
    var (scene, _) = twice()
    scene.cutOff(Scene.other, from: 150, until: 4_000)
    scene.cutOff(300, from: 150)
    #expect(scene.broken == [.effects])
  }

  @Test("finds it when the process was cut off, and was back before the first run began")
  func before() {
    var (scene, _) = twice()
    scene.cutOff(Scene.worker, from: 10, until: 90)
    #expect(scene.broken == [.effects])
  }

  @Test("finds it when the process was cut off only after the second run had begun")
  func after() {
    var (scene, _) = twice()
    scene.cutOff(Scene.worker, from: 5_001)
    #expect(scene.broken == [.effects])
  }

  @Test("finds it when the effect had been told of before the process was cut off")
  func told() {
    var (scene, job) = twice()
    scene.cutOff(Scene.worker, from: 1_000)
    #expect(scene.broken.isEmpty)
    scene.add(.show, job, .ok(Sighting(state: .succeeded, attempt: 1)), at: 300)
    #expect(scene.broken == [.effects])
  }

  @Test("finds it when the effect had been recorded before the process was cut off, though nobody was told")
  func recorded() {
    var scene = Scene()
    scene.cutOff(Scene.worker, from: 2_000)
    scene.findings.runs.append(
      Run(job: scene.jobs[0], attempt: 1, pid: Scene.other, began: scene.time(5_000), ended: nil, end: nil))
    // What was told is left out: the end that the ledger has is enough.
    scene.record = Record()
    for job in scene.jobs { scene.addAccepted(job) }
    #expect(scene.broken == [.effects])
  }

  @Test("finds a third run of which only the first was cut off")
  func third() {
    var (scene, job) = twice()
    scene.cutOff(Scene.worker, from: 150)
    scene.addRun(job, 4_000...4_100, in: 300)
    #expect(scene.broken == [.effects])
  }

  @Test("allows a retry of what failed, and finds one of what is not recorded as failed")
  func retry() {
    var (scene, job) = twice(attempt: 2)
    scene.findings.runs[scene.findings.runs.count - 2].end = .failed
    // The first attempt was used up, too, and the ledger does not say how.
    #expect(scene.broken == [.effects, .attempts])
    scene.findings.ledger.jobs[job]?.attempts = [1: "failed"]
    #expect(scene.broken.isEmpty)
    // The same attempt again is no retry.
    (scene, job) = twice()
    scene.findings.runs[scene.findings.runs.count - 2].end = .failed
    scene.findings.ledger.jobs[job]?.attempts = [1: "failed"]
    #expect(scene.broken == [.effects])
  }

  @Test("allows second runs across the loss of the broker's disk, and finds those of before and after")
  func wiped() {
    var (scene, _) = twice()
    scene.wipe(1_000...3_000)
    #expect(scene.broken.isEmpty)
    (scene, _) = twice()
    scene.wipe(5_001...6_000)
    #expect(scene.broken == [.effects])
    (scene, _) = twice()
    scene.wipe(10...90)
    #expect(scene.broken == [.effects])
  }

  @Test("finds a run of a job that has failed already, and allows a cancelled one to begin once")
  func ended() {
    var scene = Scene()
    let job = JobID()
    scene.addAccepted(job, Wanted(outcomes: [.cancelled]))
    scene.end(job, .cancelled, at: 50, told: 60)
    scene.addRun(job, 2_000...2_100)
    #expect(scene.broken.isEmpty)
    scene.cutOff(Scene.worker, from: 2_050)
    scene.addRun(job, 3_000...3_100, in: Scene.other)
    #expect(scene.broken == [.effects])
    scene = Scene()
    scene.addAccepted(job, Wanted(outcomes: [.failed]))
    scene.end(job, .failed, at: 50, told: 60)
    scene.addRun(job, 2_000...2_100)
    #expect(scene.broken == [.effects])
  }

  @Test("finds a success without an effect, unless its kind leaves none")
  func noEffect() {
    var scene = Scene()
    scene.findings.runs.removeLast()
    #expect(scene.broken == [.effects])
    scene.record.want(Wanted(leavesTraces: false), of: scene.jobs[2])
    #expect(scene.broken.isEmpty)
  }

  @Test("reads the traces of runs, and counts no end without a beginning")
  func traces() throws {
    let job = JobID()
    let lines = [
      "1 7 began 10", "1 7 ended 20", "2 8 began 30", "2 8 failed 40", "3 9 began 50", "4 9 ended 60", "5 9",
    ]
    let runs = Run.runs(of: lines.map { [job.description] + $0.split(separator: " ").map(String.init) })
    #expect(runs.map(\.attempt) == [1, 2, 3])
    #expect(runs.map(\.end) == [.succeeded, .failed, nil])
    #expect(runs.map(\.ended) == [Moment(nanoseconds: 20), Moment(nanoseconds: 40), nil])
  }
}
