import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Coordinator

@Suite("An explanation")
struct ExplanationTests {
  private let other = JobID()

  private func job(_ state: JobState = .held, attempt: Int = 1, _ change: (inout Job) -> Void = { _ in }) -> Job {
    let progress = JobProgress(state: state, attempt: attempt, maxAttempts: 3, release: 1, token: 1)
    var job = Job(
      number: 1, id: JobID(), kind: "deposit", department: "work", priority: 4, progress: progress, acceptedAt: .now())
    change(&job)
    return job
  }

  private func explain(
    _ job: Job, desk: Desk = Desk(isOrdered: false, window: 10), _ change: (inout Explanation) -> Void = { _ in }
  ) -> ExplainDocument {
    var explanation = Explanation(job: job, live: nil, desk: desk, now: .now(), isConfigured: true)
    change(&explanation)
    return explanation.document
  }

  private func live(_ job: Job, isConfirmed: Bool = true, isRunning: Bool = false) -> LiveJob {
    var live = LiveJob(
      job, standing: Standing(value: 0), .shared, releasedAt: .now(), releasePriority: 7)
    live.isConfirmed = isConfirmed
    live.progress.seenRunning = isRunning
    return live
  }

  private func desk(ordered: Bool = false, cap: Int? = nil, _ change: (inout Desk) -> Void) -> Desk {
    var desk = Desk(isOrdered: ordered, window: 10, cap: cap)
    change(&desk)
    return desk
  }

  // MARK: Held

  @Test("a scheduled job says when it is due")
  func scheduled() {
    let time = Timestamp.now() + .seconds(60)
    let document = explain(job { $0.notBefore = time })
    #expect(document.state == .held)
    #expect(document.reasons == [.init(hold: "schedule", text: "it is not to run before its time", until: time)])
  }

  @Test("a job that is to be tried again says which attempt failed, and why")
  func retried() {
    let time = Timestamp.now() + .seconds(60)
    let reason = explain(job(attempt: 2) { $0.notBefore = time }) {
      $0.lastFailure = JobFailure(code: "no_paper", message: "the tray is empty")
    }.reasons.first
    #expect(reason?.hold == "retry")
    #expect(
      reason?.text == "attempt 1 of 3 failed with no_paper: the tray is empty; the next one is after the back-off")
    #expect(reason?.until == time)
  }

  @Test("a job that waits for others names them", arguments: [1, 2])
  func dependent(count: Int) {
    let reason = explain(job { $0.openDependencies = count }) { $0.dependencies = [other] }.reasons.first
    #expect(reason?.hold == "after")
    #expect(reason?.text == "it waits for \(count) other \(count == 1 ? "job" : "jobs")")
    #expect(reason?.lifts == "the success of \(count == 1 ? "that job" : "all of them")")
    #expect(reason?.jobs == [other])
  }

  @Test("all reasons are told, and room is one only when there is no other")
  func several() {
    let document = explain(
      job {
        $0.notBefore = .now()
        $0.openDependencies = 1
      }, desk: desk { $0.isPaused = true })
    #expect(document.reasons.map(\.hold) == ["schedule", "after", "paused"])
  }

  @Test("a job of a paused department names the command that resumes it")
  func paused() {
    let reason = explain(job(), desk: desk { $0.isPaused = true }).reasons.first
    #expect(reason == .init(hold: "paused", text: "its department is paused", lifts: "`teller resume work`"))
  }

  @Test("a job whose department is gone names the configuration")
  func stranded() {
    let reason = explain(job()) { $0.isConfigured = false }.reasons.first
    #expect(reason?.hold == "department")
    #expect(reason?.text.contains("\"work\" is not in the coordinator's teller.yaml") == true)
  }

  @Test("in an ordered department it names what goes first, unless that is itself")
  func ordered() {
    let job = job()
    let ordered = desk(ordered: true) { _ in }
    let reason = explain(job, desk: ordered) { $0.ahead = other }.reasons.first
    #expect(reason?.hold == "order")
    #expect(reason?.jobs == [other])
    let next = explain(job, desk: ordered) { $0.ahead = job.id }.reasons
    #expect(next.map(\.text) == ["it is the next one of its department, and about to be released"])
    let behind = explain(job, desk: desk(ordered: true) { $0.countVoid(1) }) { $0.ahead = job.id }.reasons
    #expect(behind.map(\.hold) == ["window"])
    #expect(behind.first?.text.hasSuffix("one that was cancelled or moved is not yet out of the queue") == true)
  }

  @Test("a full window says how many are released, void ones among them, and how many follow")
  func window() {
    let full = desk { desk in
      for _ in 0..<10 { _ = desk.takeAtOnce(4) }
      desk.countVoid(2)
      desk.hold(.room, 4, count: 3)
    }
    let text = explain(job(), desk: full).reasons.first?.text ?? ""
    #expect(
      text.hasPrefix("10 jobs of its department are released (2 cancelled or moved, and not yet out of the queue)"))
    #expect(text.hasSuffix("it is one of 3 that are ready to follow, by priority and by how long they have waited"))
  }

  @Test("a cap says that a larger one would help")
  func cap() {
    let reason = explain(job(), desk: desk(cap: 2) { _ in }).reasons.first
    #expect(reason?.hold == "cap")
    #expect(reason?.lifts?.contains("a larger `cap:`") == true)
  }

  @Test("a job that a command is about to cancel says so")
  func cleared() {
    #expect(explain(job()) { $0.isBeingCleared = true }.reasons.map(\.hold) == ["operation"])
  }

  // MARK: Released

  @Test("a queued job says whether its message is in the queue, with which priority, and who could take it")
  func queued() {
    let job = job(.queued)
    let reason = explain(job) {
      $0.live = live(job)
      $0.tellers = 2
    }.reasons.first
    #expect(reason?.hold == "queue")
    #expect(reason?.text == "it is in the queue of department \"work\" with priority 7")
    #expect(reason?.lifts == "a free teller (there are 2)")
    let early = explain(job) {
      $0.live = live(job, isConfirmed: false)
      $0.tellers = 2
    }
    #expect(early.reasons.first?.text.hasPrefix("it is on its way into the queue") == true)
  }

  @Test("a queued job that no worker serves says so")
  func unserved() {
    let job = job(.queued)
    #expect(explain(job) { $0.live = live(job) }.reasons.map(\.hold) == ["no_teller"])
  }

  @Test("a released job whose department is gone says so, and whether it is in the queue all the same")
  func queuedAndStranded() {
    let job = job(.queued)
    func holds(isConfirmed: Bool) -> [String] {
      let document = explain(job) {
        $0.live = live(job, isConfirmed: isConfirmed)
        $0.isConfigured = false
        $0.tellers = 1
      }
      return document.reasons.map(\.hold)
    }
    #expect(holds(isConfirmed: true) == ["department", "queue"])
    #expect(holds(isConfirmed: false) == ["department"])
  }

  @Test("a queued job of a paused department is not taken")
  func queuedAndPaused() {
    let job = job(.queued)
    let document = explain(job, desk: desk { $0.isPaused = true }) {
      $0.live = live(job)
      $0.tellers = 1
    }
    #expect(document.reasons.map(\.hold) == ["paused"])
  }

  @Test("a job that is being claimed waits for the workers' answers")
  func claimed() {
    let job = job(.queued)
    let document = explain(job) {
      $0.live = live(job)
      $0.isClaimed = true
    }
    #expect(document.reasons.map(\.hold) == ["claim"])
    #expect(document.reasons.first?.text.hasPrefix("its message was delivered before") == true)
    let own = explain(job) {
      $0.live = live(job)
      $0.isClaimed = true
      $0.isClaimedByCoordinator = true
    }
    #expect(own.reasons.first?.text.hasPrefix("it is to be moved or ended, or its message may be lost") == true)
  }

  @Test("a running job says where, and its run limit")
  func running() {
    let job = job(.queued, attempt: 2) { $0.timeout = .seconds(5) }
    let document = explain(job) { $0.live = live(job, isRunning: true) }
    #expect(document.state == .running)
    #expect(document.reasons.first?.text.hasPrefix("attempt 2 of 3 runs; its run limit is ") == true)
    let placed = explain(job) {
      $0.live = live(job, isRunning: true)
      $0.worker = ("desk-7", RunningRelease(release: ReleaseID(job: job.id, number: 1), token: 1))
    }
    #expect(placed.reasons.first?.text.hasPrefix("attempt 2 of 3 runs on desk-7") == true)
    #expect(placed.reasons.first?.lifts == "its own end, or `teller cancel \(job.id)`")
  }

  @Test("a job whose handler does not react is stuck")
  func stuck() {
    let job = job(.queued)
    let release = ReleaseID(job: job.id, number: 1)
    let document = explain(job) {
      $0.live = live(job, isRunning: true)
      $0.worker = ("desk-7", RunningRelease(release: release, token: 1, isStuck: true))
    }
    #expect(document.reasons.map(\.hold) == ["stuck"])
  }

  // MARK: Ended

  @Test("a job that has ended says how, and what can be done")
  func ended() {
    let failure = JobFailure(code: "broken", message: "it broke")
    let succeeded = explain(job(.succeeded) { $0.outcome = .succeeded(result: [], contentType: nil) })
    #expect(succeeded.reasons == [.init(hold: "ended", text: "it has succeeded")])
    let failed = job(.failed) { $0.outcome = .failed(failure) }
    #expect(explain(failed).reasons.first?.text == "it has failed with broken: it broke")
    #expect(explain(failed).reasons.first?.lifts == "`teller replay \(failed.id)`, which submits it again")
    let cancelled = explain(job(.cancelled) { $0.outcome = .cancelled(failure) })
    #expect(cancelled.reasons.first?.text == "it was cancelled: it broke")
    let taken = explain(job(.cancelled) { $0.outcome = .cancelled(.cancelled(by: "an operator")) })
    #expect(taken.reasons == [.init(hold: "ended", text: "it was cancelled by an operator")])
  }

  @Test("a failed job that somebody looked after says what became of it")
  func settled() {
    let replayed = explain(job(.failed) { $0.settlement = .replayed(other) })
    #expect(replayed.reasons.first?.text.hasSuffix("; it was submitted again as \(other)") == true)
    let dropped = explain(job(.failed) { $0.settlement = .dropped })
    #expect(dropped.reasons.first?.text.hasSuffix("; it was dropped, and nothing is to be done") == true)
  }
}
