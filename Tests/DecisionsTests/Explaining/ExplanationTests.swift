import JobModel
import TestSupport
import Testing

@testable import Decisions

@Suite("An explanation")
struct ExplanationTests {
  let other = JobID()

  func job(_ state: JobState = .held, attempt: Int = 1, _ change: (inout Job) -> Void = { _ in }) -> Job {
    let progress = JobProgress(state: state, attempt: attempt, maxAttempts: 3, release: 1, token: 1)
    var job = Job(
      number: 1, id: JobID(), kind: "deposit", department: "work", priority: 4, progress: progress, acceptedAt: .noon)
    change(&job)
    return job
  }

  func explain(
    _ job: Job, books: DepartmentBooks = DepartmentBooks(isOrdered: false, window: 10),
    _ change: (inout Explanation) -> Void = { _ in }
  ) -> JobExplanation {
    var explanation = Explanation(job: job, live: nil, books: books, now: .noon, isConfigured: true)
    change(&explanation)
    return explanation.document
  }

  func live(_ job: Job, isConfirmed: Bool = true, isRunning: Bool = false) -> LiveJob {
    var live = LiveJob(
      job, WindowPlace(queue: JobQueue(job.department), priority: job.priority, slot: .shared),
      standing: Standing(value: 0),
      releasedAt: .noon, since: .zero, releasePriority: 7)
    live.isConfirmed = isConfirmed
    live.progress.seenRunning = isRunning
    return live
  }

  func books(ordered: Bool = false, cap: Int? = nil, _ change: (inout DepartmentBooks) -> Void) -> DepartmentBooks {
    var books = DepartmentBooks(isOrdered: ordered, window: 10, cap: cap)
    change(&books)
    return books
  }

  // MARK: Held

  @Test("a scheduled job says when it is due")
  func scheduled() {
    let time = Timestamp.noon + .seconds(60)
    let document = explain(job { $0.notBefore = time })
    #expect(document.state == .held)
    #expect(document.reasons == [.init(hold: .schedule, text: "it is not to run before its time", until: time)])
  }

  @Test("a job that is to be tried again says which attempt failed, and why")
  func retried() {
    let (time, ended) = (Timestamp.noon + .seconds(60), Timestamp.noon - .seconds(5))
    let reason = explain(job(attempt: 2) { $0.notBefore = time }) {
      $0.lastAttempt = AttemptRecord(
        number: 1, worker: nil, startedAt: nil, endedAt: ended, end: .failed,
        failure: JobFailure(code: "no_paper", message: "the tray is empty"))
    }.reasons.first
    #expect(reason?.startsAt == ended)
    #expect(reason?.hold == .retry)
    #expect(
      reason?.text == "attempt 1 of 3 failed with no_paper: the tray is empty; the next one is after the back-off")
    #expect(reason?.endsAt == time)
  }

  @Test("a job that waits for others names them", arguments: [1, 2])
  func dependent(count: Int) {
    let reason = explain(job { $0.openDependencies = count }) { $0.dependencies = [other] }.reasons.first
    #expect(reason?.hold == .after)
    #expect(reason?.text == "it waits for \(count) other \(count == 1 ? "job" : "jobs")")
    let one = "the success of that job; if it does not succeed, this one fails"
    #expect(reason?.lifts == (count == 1 ? one : "the success of all of them; if one does not succeed, this one fails"))
    #expect(reason?.jobs == [other])
  }

  @Test("a job that waits for some that nobody has submitted says how long they have time, and what happens then")
  func unsubmitted() {
    let time = Timestamp.noon + .seconds(400)
    let jobs = (0..<20).map { _ in JobID() }
    let reasons = explain(job { $0.openDependencies = 20 }) {
      $0.dependencies = jobs
      $0.unknown = Array(jobs.suffix(12))
      $0.unknownUntil = time
      $0.dependencyRule = .cancel
    }.reasons
    #expect(reasons.map(\.hold) == [.after, .after])
    #expect(reasons.map(\.jobs) == [Array(jobs.prefix(10)), Array(jobs.suffix(12).prefix(10))])
    let text = "12 of those were not submitted yet; unless that happens in time, this one is cancelled with "
    #expect(reasons.last?.text == text + "unknown_dependency")
    #expect(reasons.last?.endsAt == time)
    #expect(reasons.last?.lifts == "their submission")
  }

  @Test("all reasons are told, and room is one only when there is no other")
  func several() {
    let document = explain(
      job {
        $0.notBefore = .noon
        $0.openDependencies = 1
      }, books: books { $0.closures = [.paused] })
    #expect(document.reasons.map(\.hold) == [.schedule, .after, .paused])
  }

  @Test("a job of a paused department names the command that resumes it")
  func paused() {
    let reason = explain(job(), books: books { $0.closures = [.paused] }).reasons.first
    #expect(reason == .init(hold: .paused, text: "its department is paused", lifts: "`teller resume work`"))
  }

  @Test("a job whose department is gone names the configuration")
  func stranded() {
    let reason = explain(job()) { $0.isConfigured = false }.reasons.first
    #expect(reason?.hold == .department)
    #expect(reason?.text.contains("\"work\" is not in the coordinator's teller.yaml") == true)
  }

  @Test("in an ordered department it names what goes first, unless that is itself")
  func ordered() {
    let job = job()
    let ordered = books(ordered: true) { _ in }
    let reason = explain(job, books: ordered) { $0.ahead = other }.reasons.first
    #expect(reason?.hold == .order)
    #expect(reason?.jobs == [other])
    let next = explain(job, books: ordered) { $0.ahead = job.id }.reasons
    #expect(next.map(\.text) == ["it is the next one of its department, and about to be released"])
    let behind = explain(job, books: books(ordered: true) { $0.countVoid(1) }) { $0.ahead = job.id }.reasons
    #expect(behind.map(\.hold) == [.window])
    #expect(behind.first?.text.hasSuffix("one that was cancelled or moved is still in the queue, or runs") == true)
    #expect(reason?.lifts?.contains("`teller explain \(other)`") == true)
  }

  @Test("behind a void release it names that one's job, and who is missing to take it away", arguments: [0, 2])
  func behindVoid(tellers: Int) {
    let job = job()
    let reason = explain(job, books: books(ordered: true) { $0.countVoid(1) }) {
      $0.ahead = job.id
      $0.void = [other]
      $0.tellers = tellers
    }.reasons.first
    #expect(reason?.jobs == [other])
    #expect(
      reason?.lifts?.hasPrefix(tellers == 0 ? "a worker with tellers for \"work\"" : "a worker that takes") == true)
  }

  @Test("a full window says how many are released, void ones among them, and how many follow")
  func window() {
    let full = books { books in
      for _ in 0..<10 { _ = books.takeAtOnce(4) }
      books.countVoid(2)
      books.count(3, .room, 4)
    }
    let text = explain(job(), books: full).reasons.first?.text ?? ""
    #expect(
      text.hasPrefix("10 jobs of its department are released (2 cancelled or moved, and not yet out of the queue)"))
    #expect(text.hasSuffix("it is one of 3 that are ready to follow, by priority and by how long they have waited"))
  }

  @Test("a cap says that a larger one would help")
  func cap() {
    let reason = explain(job(), books: books(cap: 2) { _ in }).reasons.first
    #expect(reason?.hold == .cap)
    #expect(reason?.lifts?.contains("a larger `cap:`") == true)
  }

  @Test("a job that a command is about to cancel, or holds back, says which command that is", arguments: [true, false])
  func cleared(cancelsIt: Bool) {
    let since = Timestamp.noon
    let reasons = explain(job()) {
      $0.operation = Explanation.Operation(id: 7, cancelsIt: cancelsIt, since: since)
    }.reasons
    #expect(reasons.map(\.hold) == [.operation])
    #expect(reasons.first?.text.hasPrefix("operation 7 ") == true)
    #expect(reasons.first?.startsAt == since)
    #expect(reasons.first?.lifts?.contains("`teller operation 7`") == (cancelsIt ? nil : true))
  }

  @Test("a quiet epoch and a command are told beside whatever else holds it, and also of a released job")
  func beside() {
    let until = Timestamp.noon + .seconds(30)
    func holds(
      _ job: Job, cancelsIt: Bool = true, books: DepartmentBooks = DepartmentBooks(isOrdered: false, window: 1)
    ) -> [JobExplanation.Hold] {
      explain(job, books: books) {
        if job.progress.state == .queued { $0.live = live(job) }
        $0.quietUntil = until
        $0.operation = Explanation.Operation(id: 7, cancelsIt: cancelsIt, since: nil)
      }.reasons.map(\.hold)
    }
    #expect(holds(job { $0.notBefore = until }) == [.schedule, .epoch, .operation])
    #expect(holds(job(), books: books { $0.closures = [.paused] }) == [.paused, .epoch, .operation])
    #expect(holds(job(.queued)) == [.noTeller, .epoch, .operation])
    #expect(holds(job(.queued), cancelsIt: false) == [.noTeller, .epoch], "nobody holds back what is released")
  }
}
