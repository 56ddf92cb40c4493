import JobModel
import Testing

@testable import Decisions

@Suite("What follows when no worker runs a release")
struct ResumptionTests {
  private let now = Timestamp.noon

  /// A released job; `runs`: its claim was granted.
  private func live(
    attempts: Int = 3, startBy: Timestamp? = nil, runs: Bool = false, deaths: Int = 0
  ) -> LiveJob {
    var progress = JobProgress(maxAttempts: attempts)
    _ = progress.apply(.lifted)
    if runs { _ = progress.apply(.claimGranted) }
    progress.deaths = deaths
    let job = Job(
      number: 1, id: JobID(), kind: "deposit", department: "work", priority: 4, progress: progress, startBy: startBy,
      acceptedAt: now)
    return LiveJob(
      job, WindowPlace(queue: JobQueue("work"), priority: 4, slot: .shared), standing: Standing(value: 0),
      releasedAt: now, since: .zero, releasePriority: 4)
  }

  private func conclude(_ job: LiveJob, isLastUnheard: Bool = false, mayStart: Bool = true) -> Resumption {
    var job = job
    return job.concludeClaim(at: now, isLastUnheard: isLastUnheard, mayStart: mayStart)
  }

  @Test("a job that was never started goes on, and has lost no attempt")
  func fresh() {
    #expect(conclude(live()) == .goesOn(interrupted: nil))
  }

  @Test("a job that was started has lost an attempt, unless the answer to its last grant was lost on its way")
  func started() {
    var alone = live(runs: true)
    alone.progress.blame = .alone
    #expect(conclude(alone) == .goesOn(interrupted: 1))
    #expect(conclude(alone, isLastUnheard: true) == .goesOn(interrupted: nil))
    #expect(conclude(live(attempts: 1, runs: true)) == .ends(.failed(.lost()), interrupted: 1))
  }

  @Test("a job that had to begin by now ends, and one that has begun does not")
  func late() {
    #expect(conclude(live(startBy: now)) == .ends(.failed(.tooLate()), interrupted: nil))
    #expect(conclude(live(startBy: now + .seconds(1))) == .goesOn(interrupted: nil))
    #expect(conclude(live(startBy: now, runs: true)) == .goesOn(interrupted: nil))
  }

  @Test("a suspect goes back to its line where another one runs")
  func inTheWay() {
    #expect(conclude(live(deaths: 2), mayStart: false) == .waitsInLine(interrupted: nil))
    #expect(conclude(live(deaths: 2)) == .goesOn(interrupted: nil))
    #expect(conclude(live(deaths: 1), mayStart: false) == .goesOn(interrupted: nil), "it is no suspect")
  }

  @Test("a release whose last grant was never heard of has lost no attempt; with one attempt a lost one is at its end")
  func releasedAnew() {
    var returned = live(runs: true)
    #expect(returned.releaseAnew(because: .withdrawn, isLastUnheard: true) == .goesOn(interrupted: nil))
    var again = live(attempts: 2, runs: true)
    #expect(again.releaseAnew(because: .foundLost, isLastUnheard: true) == .goesOn(interrupted: nil))
    #expect((again.progress.attempt, again.progress.deaths) == (1, 0), "its worker lives")
    var lost = live(attempts: 1, runs: true)
    #expect(lost.releaseAnew(because: .foundLost, isLastUnheard: true) == .ends(.failed(.lost()), interrupted: 1))
    #expect(lost.releaseAnew(because: .foundLost, isLastUnheard: false) == .nothing, "it has ended")
  }

  @Test("a report ends the job, or says when it is tried again; one with another token counts for nothing")
  func reported() {
    let job = live(attempts: 2)
    let failure = JobFailure(code: "broken", message: "it broke")
    func report(
      _ result: AttemptResult, token: Int? = nil, first: Duration = .seconds(5), mustWait: Bool = false,
      of job: LiveJob
    ) -> Reported {
      var job = job
      let retry = RetrySettings(first: first, jitter: 0)
      return job.report(token: token ?? job.progress.token, result, retry, random: 0, mustWait: mustWait)
    }
    let success = AttemptResult.succeeded(result: [1], contentType: nil)
    let broken = AttemptResult.failed(failure, isPermanent: false)
    #expect(report(success, of: job) == .ended(.succeeded(result: [1], contentType: nil)))
    #expect(report(success, token: job.progress.token + 1, of: job) == .stale)
    #expect(report(broken, of: job) == .failed(attempt: 1, failure, again: .seconds(5)))
    #expect(report(broken, first: .zero, of: job) == .failed(attempt: 1, failure, again: nil))
    #expect(report(broken, first: .zero, mustWait: true, of: job) == .failed(attempt: 1, failure, again: .zero))
    #expect(report(.failed(failure, isPermanent: true), of: job) == .ended(.failed(failure)))
    #expect(report(broken, of: live(attempts: 1)) == .ended(.failed(failure)))
  }
}
