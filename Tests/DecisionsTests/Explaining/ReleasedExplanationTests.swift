import JobModel
import Testing

@testable import Decisions

/// What is released, or has ended.
extension ExplanationTests {
  @Test("a queued job says whether its message is in the queue, with which priority, and who could take it")
  func queued() {
    let job = job(.queued)
    let reason = explain(job) {
      $0.live = live(job)
      $0.tellers = 2
    }.reasons.first
    #expect(reason?.hold == .queue)
    #expect(reason?.text == "it is in the queue of department \"work\" with priority 7")
    #expect(reason?.lifts == "a free teller (there are 2), when it is first in line")
    #expect(reason?.since != nil)
    let early = explain(job) {
      $0.live = live(job, isConfirmed: false)
      $0.tellers = 2
    }
    #expect(early.reasons.first?.text.hasPrefix("it is on its way into the queue") == true)
  }

  @Test("a queued job that a worker has taken ahead says in whose hand it is")
  func takenAhead() {
    let job = job(.queued)
    let reason = explain(job) {
      $0.live = live(job)
      $0.tellers = 2
      $0.holder = "desk 7"
    }.reasons.first
    #expect(reason?.hold == .queue)
    #expect(reason?.text == "it is in the hand of worker desk 7, and has not begun there")
    #expect(reason?.lifts == "a free teller of department \"work\" there, or the answer to the worker's claim")
    #expect(reason?.worker == "desk 7")
  }

  @Test("a job behind tellers whose handlers do not end says so, and names them, queued, taken ahead or held")
  func stuckTellers() {
    let hanging = [JobID(), JobID()]
    func explain(
      _ job: Job, cap: Int? = nil, count: Int, of tellers: Int = 2, places: Int = 0, holder: String? = nil
    ) -> JobExplanation {
      self.explain(job, books: books(cap: cap) { _ in }) {
        if job.progress.state == .queued { $0.live = live(job) }
        ($0.tellers, $0.holder) = (tellers, holder)
        ($0.stuck.count, $0.stuck.tellers, $0.stuck.places) = (count, tellers, places)
        ($0.stuck.workers, $0.stuck.jobs) = (["desk-1"], hanging)
      }
    }
    let queued = job(.queued)
    let some = explain(queued, count: 1).reasons
    #expect(some.map(\.hold) == [.queue])
    #expect(some.first?.lifts == "a free teller (there are 2, 1 of them stuck), when it is first in line")
    let all = explain(queued, count: 2).reasons
    #expect(all.map(\.hold) == [.stuck] && all.first?.jobs == hanging && all.first?.worker == "desk-1")
    #expect(
      all.first?.text
        == "all 2 tellers for department \"work\" are stuck: their handlers were told to stop and have not")
    #expect(
      all.first?.lifts
        == "the end of such a handler, or of the process of its worker: desk-1; or another worker")
    #expect(all.first?.since != nil)
    let only = explain(queued, count: 1, of: 1).reasons.first?.text
    #expect(only?.hasPrefix("the teller for department \"work\" is stuck: ") == true)
    #expect(explain(queued, count: 2, holder: "desk-1").reasons.map(\.hold) == [.queue, .stuck])
    #expect(explain(queued, count: 0, of: 0).reasons.map(\.hold) == [.noTeller])
    #expect(explain(job(), count: 2).reasons.map(\.hold) == [.window, .stuck])
    #expect(explain(job(), count: 1).reasons.map(\.hold) == [.window])
    let capped = explain(job(), cap: 1, count: 1, of: 5, places: 1).reasons
    #expect(capped.map(\.hold) == [.cap, .stuck])
    #expect(capped.last?.text.hasPrefix("jobs that do not end have all places of \"cap: 1\"") == true)
    #expect(explain(job(), cap: 1, count: 1, of: 5, places: 0).reasons.map(\.hold) == [.cap], "the run keeps no place")
    let ordered = self.explain(job(), books: books(ordered: true) { _ in }) {
      ($0.stuck.count, $0.stuck.tellers, $0.stuck.places, $0.stuck.jobs) = (1, 5, 1, hanging)
    }.reasons
    #expect(ordered.map(\.hold) == [.window, .stuck])
    #expect(ordered.last?.text.hasPrefix("a job that goes first does not end: ") == true)
    let unhandled = self.explain(job { $0.withheld = .handler }) {
      ($0.handlers, $0.beside) = ((["desk-1"], ["desk-2"]), (places: 5, limit: 5))
      ($0.stuck.count, $0.stuck.tellers) = (2, 2)
    }.reasons
    #expect(unhandled.map(\.hold) == [.handler, .stuck])
    #expect(unhandled.last?.text.hasPrefix("all 2 tellers for kind \"deposit\" are stuck: ") == true)
    #expect(explain(queued, cap: 1, count: 1, of: 5, places: 1).reasons.map(\.hold) == [.queue], "it has its place")
    #expect(explain(job { $0.notBefore = .noon + .seconds(9) }, count: 2).reasons.map(\.hold) == [.schedule])
  }

  @Test("a queued job that no worker serves says so")
  func unserved() {
    let job = job(.queued)
    #expect(explain(job) { $0.live = live(job) }.reasons.map(\.hold) == [.noTeller])
  }

  @Test("a released job whose department is gone says so, and whether it is in the queue all the same")
  func queuedAndStranded() {
    let job = job(.queued)
    func holds(isConfirmed: Bool) -> [JobExplanation.Hold] {
      let document = explain(job) {
        $0.live = live(job, isConfirmed: isConfirmed)
        $0.isConfigured = false
        $0.tellers = 1
      }
      return document.reasons.map(\.hold)
    }
    #expect(holds(isConfirmed: true) == [.department, .queue])
    #expect(holds(isConfirmed: false) == [.department])
  }

  @Test("a queued job of a paused department is not taken")
  func queuedAndPaused() {
    let job = job(.queued)
    let document = explain(job, books: books { $0.closures = [.paused] }) {
      $0.live = live(job)
      $0.tellers = 1
    }
    #expect(document.reasons.map(\.hold) == [.paused])
  }

  @Test("a job that is being claimed waits for the workers' answers")
  func claimed() {
    let job = job(.queued)
    let document = explain(job) {
      $0.live = live(job)
      $0.isClaimed = true
    }
    #expect(document.reasons.map(\.hold) == [.claim])
    #expect(document.reasons.first?.text.hasPrefix("a worker got its message a second time") == true)
  }

  @Test("a job that the coordinator asks for says why, and who has not answered")
  func claimedByCoordinator() {
    let job = job(.queued)
    func reason(_ change: Change?) -> JobExplanation.Reason? {
      explain(job) {
        $0.live = live(job)
        $0.isClaimed = true
        $0.isClaimedByCoordinator = true
        $0.change = change
        $0.awaited = ["desk-1", "desk-2"]
      }.reasons.first
    }
    #expect(reason(nil)?.text.hasPrefix("its message may be lost, so all workers are asked") == true)
    #expect(reason(.tooLate)?.text.hasPrefix("it was not begun in time, and is to end, so") == true)
    #expect(reason(.age)?.text.hasPrefix("it has waited for long, and is to go before others, so") == true)
    #expect(reason(.rerank(9, nil, Standing(value: 0), nil))?.text.hasPrefix("it is to be moved, so") == true)
    #expect(reason(nil)?.lifts == "their answers (missing: desk-1, desk-2), or the lease of one that is silent")
  }

  @Test("a running job says where, and its timeout")
  func running() {
    let job = job(.queued, attempt: 2) { $0.timeout = .seconds(5) }
    let document = explain(job) { $0.live = live(job, isRunning: true) }
    #expect(document.state == .running)
    #expect(document.reasons.first?.text.hasPrefix("attempt 2 of 3 runs; its timeout is ") == true)
    let placed = explain(job) {
      $0.live = live(job, isRunning: true)
      $0.worker = ("desk-7", RunningRelease(release: ReleaseID(job: job.id, number: 1), token: 1))
    }
    #expect(placed.reasons.first?.text.hasPrefix("attempt 2 of 3 runs on desk-7") == true)
    #expect(placed.reasons.first?.lifts == "its own end, or `teller cancel \(job.id)`")
  }

  @Test("of a job whose worker may be dead it is told that another worker asks for it")
  func claimedWhileRunning() {
    let job = job(.queued)
    let document = explain(job) {
      $0.live = live(job, isRunning: true)
      $0.isClaimed = true
      $0.awaited = ["desk-7"]
    }
    #expect(document.reasons.map(\.hold) == [.running, .claim])
    #expect(document.reasons.last?.lifts == "their answers (missing: desk-7), or the lease of one that is silent")
  }

  @Test("a job whose handler does not react is stuck")
  func stuck() {
    let job = job(.queued)
    let release = ReleaseID(job: job.id, number: 1)
    let document = explain(job) {
      $0.live = live(job, isRunning: true)
      $0.worker = ("desk-7", RunningRelease(release: release, token: 1, isStuck: true))
    }
    #expect(document.reasons.map(\.hold) == [.stuck])
  }

  // MARK: Ended

  @Test("a job that has ended says how, and what can be done")
  func ended() {
    let failure = JobFailure(code: "broken", message: "it broke")
    let succeeded = explain(job(.succeeded) { $0.outcome = .succeeded(result: [], contentType: nil) })
    #expect(succeeded.reasons == [.init(hold: .ended, text: "it has succeeded")])
    let failed = job(.failed) { $0.outcome = .failed(failure) }
    #expect(explain(failed).reasons.first?.text == "it has failed with broken: it broke")
    let choice = "`teller replay \(failed.id)`, which submits it again; or `teller drop \(failed.id)`"
    #expect(explain(failed).reasons.first?.lifts == choice)
    let cancelled = explain(job(.cancelled) { $0.outcome = .cancelled(failure) })
    #expect(cancelled.reasons.first?.text == "it was cancelled: it broke")
    let taken = explain(job(.cancelled) { $0.outcome = .cancelled(.cancelled(by: "an operator")) })
    #expect(taken.reasons == [.init(hold: .ended, text: "it was cancelled by an operator")])
  }

  @Test("a failed job that somebody looked after says what became of it")
  func settled() {
    let replayed = explain(job(.failed) { $0.settlement = .replayed(other) })
    #expect(replayed.reasons.first?.text.hasSuffix("; it was submitted again as \(other)") == true)
    let dropped = explain(job(.failed) { $0.settlement = .dropped })
    #expect(dropped.reasons.first?.text.hasSuffix("; it was dropped, and nothing is to be done") == true)
  }
}
