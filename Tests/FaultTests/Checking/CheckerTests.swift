@testable import AuditSupport
import JobModel
import Testing

/// The checker itself: it must find what is wrong, and nothing else. Broken histories, one for each way.
@Suite("The checker")
struct CheckerTests {
  @Test("finds nothing where nothing is wrong")
  func nothing() {
    #expect(Scene().broken.isEmpty)
  }

  @Test("finds a confirmed job that is lost, unless the broker has lost its disk since")
  func lost() {
    var scene = Scene()
    let job = JobID()
    scene.add(.submit, job, .ok(nil), at: 50)
    #expect(scene.broken == [.outcome])
    scene.wipe(500...600)
    #expect(scene.broken.isEmpty)
    // It was gone before the job came.
    scene.wipes = []
    scene.wipe(10...20)
    #expect(scene.broken == [.outcome])
    scene.wipe(500...600)
    scene.add(.accept, job, .ok(nil), at: 60)
    #expect(scene.broken == [.outcome])
  }

  @Test("finds an accepted job without an outcome")
  func open() {
    var scene = Scene()
    scene.findings.ledger.jobs[scene.jobs[0]] = .init(state: 1, attempt: 1, hasEnd: false, notifications: 0)
    scene.findings.announced[scene.jobs[0]] = nil
    // Its submitter was told of a success: that is taken back.
    #expect(scene.broken == [.outcome, .attempts])
  }

  @Test("finds a submission without an answer that ran and is not there, or is there and stays open")
  func unknown() {
    var scene = Scene()
    scene.addRun(scene.missing, 100...200)
    #expect(scene.broken == [.unknown])
    scene = Scene()
    scene.findings.ledger.jobs[scene.missing] = .init(state: 0, attempt: 1, hasEnd: false, notifications: 0)
    #expect(scene.broken == [.unknown])
    scene = Scene()
    scene.findings.ledger.jobs[scene.missing] = .init(state: 2, attempt: 1, hasEnd: true, notifications: 1)
    scene.addRun(scene.missing, 100...200)
    scene.findings.announced[scene.missing] = 1
    scene.findings.ledger.sequence = (1, 4, 4)
    #expect(scene.broken.isEmpty)
  }

  @Test("finds a job that was taken for interrupted while everybody was well")
  func innocent() {
    var scene = Scene()
    scene.findings.ledger.jobs[scene.jobs[0]]?.deaths = 1
    #expect(scene.broken == [.outcome])
    // Messages were lost, and with one of them what would have shown that the job had not begun.
    scene.allowances = [.lostMessages]
    scene.findings.ledger.jobs[scene.jobs[0]]?.attempts = [1: "lost"]
    #expect(scene.broken.isEmpty)
    // Each time that messages were lost excuses one death.
    scene.findings.ledger.jobs[scene.jobs[0]]?.deaths = 2
    #expect(scene.broken == [.outcome])
    scene.allowances = [.lostMessages, .lostMessages]
    #expect(scene.broken.isEmpty)
    scene.allowances = []
    scene.findings.ledger.jobs[scene.jobs[0]]?.deaths = 0
    #expect(scene.broken == [.outcome])
    scene.findings.ledger.jobs[scene.jobs[0]]?.attempts = [1: "interrupted"]
    #expect(scene.broken.contains(.outcome))
    // A job with one attempt that was granted, and whose message is gone, is at its end.
    scene.allowances = [.lostMessages]
    #expect(scene.broken.contains(.outcome))
    scene.findings.ledger.jobs[scene.jobs[0]]?.errorCode = "lost"
    #expect(!scene.broken.contains(.outcome))
  }

  @Test("finds a rejected submission that is there")
  func rejected() {
    var scene = Scene()
    let job = JobID()
    scene.add(.submit, job, .failed("too large"))
    #expect(scene.broken.isEmpty)
    scene.findings.ledger.jobs[job] = .init(state: 3, attempt: 1, hasEnd: true, notifications: 1)
    scene.findings.announced[job] = 1
    #expect(scene.broken == [.unknown])
  }

  @Test("finds an older attempt that was recorded over a newer one")
  func older() {
    var scene = Scene()
    scene.cutOff(Scene.worker, from: 150)
    scene.addRun(scene.jobs[0], 190...200, attempt: 2, in: Scene.other)
    #expect(scene.broken == [.attempts])
  }

  @Test("finds an answer that was taken back")
  func takenBack() {
    var scene = Scene()
    scene.add(.show, scene.jobs[0], .ok(Sighting(state: .succeeded, attempt: 1)), at: 400)
    #expect(scene.broken.isEmpty)
    scene.add(.show, scene.jobs[0], .ok(Sighting(state: .queued, attempt: 1)), at: 500)
    #expect(scene.broken == [.attempts])
    scene = Scene()
    scene.findings.ledger.jobs[scene.jobs[0]]?.state = 3
    // Nor was it wanted.
    #expect(scene.broken == [.attempts, .outcome])
  }

  @Test("finds a queue that is not empty")
  func queue() {
    var scene = Scene()
    scene.findings.queues["teller.rejected"] = 1
    #expect(scene.broken == [.queues])
    // What was damaged is parked.
    scene.allowances = [.damagedLine]
    #expect(scene.broken.isEmpty)
    scene.findings.queues["teller.reports.2"] = 1
    #expect(scene.broken == [.queues])
  }

  @Test(
    "finds a ledger that is damaged, or contradicts itself",
    arguments: [
      { $0.integrity = ["row 3 missing from index"] }, { $0.danglingRows = 1 }, { $0.sequence = (1, 4, 3) },
      { $0.sequence = (2, 4, 3) }, { $0.jobs[$0.jobs.keys.first ?? JobID()]?.hasEnd = false },
      { $0.jobs[$0.jobs.keys.first ?? JobID()]?.notifications = 2 },
    ] as [@Sendable (inout LedgerFindings) -> Void])
  func ledger(damage: @Sendable (inout LedgerFindings) -> Void) {
    var scene = Scene()
    damage(&scene.findings.ledger)
    #expect(scene.broken == [.ledger])
  }

  @Test("finds a state that does not exist")
  func noState() {
    var scene = Scene()
    let job = JobID()
    scene.findings.ledger.jobs[job] = .init(state: 9, attempt: 1, hasEnd: true, notifications: 1)
    scene.findings.announced[job] = 1
    #expect(scene.broken == [.ledger])
  }

  @Test("finds an outcome that was announced twice, or never")
  func announced() {
    var scene = Scene()
    scene.findings.announced[scene.jobs[0]] = 2
    #expect(scene.broken == [.notified])
    scene.findings.announced[scene.jobs[0]] = nil
    #expect(scene.broken == [.notified])
    // What was announced before the broker lost its disk is gone, and only that.
    scene.wipe(500...600)
    #expect(scene.broken.isEmpty)
    scene.wipes = []
    scene.wipe(-20 ... -10)
    #expect(scene.broken == [.notified])
  }

  @Test("finds too much memory, too many descriptors, and too many released jobs")
  func caps() {
    var scene = Scene()
    scene.findings.processes[0].peakMemory = Checker.memoryCap + 1
    #expect(scene.broken == [.caps])
    scene = Scene()
    scene.findings.processes[0].descriptors = Checker.descriptorCap + 1
    #expect(scene.broken == [.caps])
    scene = Scene()
    scene.findings.released["work"] = (81, 80)
    #expect(scene.broken == [.caps])
  }

  @Test("finds a crash, and who ended by himself, and takes a kill for none")
  func crash() {
    var scene = Scene()
    scene.findings.processes[0].status = 137
    #expect(scene.broken.isEmpty)
    scene.findings.processes[0].status = 133
    #expect(scene.broken == [.alive])
    scene = Scene()
    scene.findings.endedByThemselves = ["worker"]
    #expect(scene.broken == [.alive])
  }

  @Test("finds a secret")
  func secret() {
    var scene = Scene()
    scene.findings.processes[0].leaks = 1
    #expect(scene.broken == [.secrets])
  }

  @Test("finds a system that does not recover, or only after too long")
  func recovery() {
    var scene = Scene()
    scene.findings.recovery = nil
    #expect(scene.broken == [.recovered])
    scene.findings.recovery = Checker.recoveryCap + .seconds(1)
    #expect(scene.broken == [.recovered])
  }

  @Test("names the invariant's jobs, but not without end")
  func names() throws {
    var scene = Scene()
    let lost = (0..<Checker.named * 2).map { _ in JobID() }
    for job in lost { scene.add(.submit, job, .ok(nil)) }
    let text = try #require(scene.violations[.outcome]?.first)
    #expect(lost.count { text.contains($0.description) } == Checker.named)
  }
}
