import JobModel
import Testing

@testable import Teller

@Suite("Reports that go to the early queue")
struct EarlyReportsTests {
  private let now = ContinuousClock.now

  private func batch(_ count: Int) -> ReportOutbox.Batch {
    let reports = (0..<count).map { _ in
      FinishedAttempt(
        release: ReleaseID(job: JobID(), number: 1), token: 1, ledger: LedgerID("l"), startedAt: now, ran: .zero,
        result: .succeeded(result: [], contentType: nil))
    }
    return ReportOutbox.Batch(reports: reports, isEarly: true)
  }

  @Test("wait until all of them are recorded")
  func recorded() {
    var early = EarlyReports()
    let batch = batch(2)
    early.begin(batch)
    let one = early.recorded([batch.reports[0].release])
    let both = early.recorded([ReleaseID(job: JobID(), number: 1), batch.reports[1].release])
    #expect(!one && both)
    early.end(isRecorded: true, at: now)
    #expect(early.isOpen(at: now))
  }

  @Test("are none for a while after some without an answer; a late answer is no other batch's")
  func unanswered() {
    var early = EarlyReports()
    let first = batch(1)
    early.begin(first)
    early.end(isRecorded: false, at: now)
    let late = early.recorded(first.reports.map(\.release))
    #expect(!late)
    #expect(!early.isOpen(at: now) && early.isOpen(at: now + EarlyPause.shortest))
    early.begin(batch(1))
    let ofAnother = early.recorded(first.reports.map(\.release))
    #expect(!ofAnother)
  }

  @Test("pause for longer with each silence, up to a limit, and for the shortest time again after an answer")
  func pause() {
    var (pause, now) = (EarlyPause(), now)
    var lengths: [Duration] = []
    for _ in 1...8 {
      pause.noteSilence(at: now)
      let length = [100, 200, 400, 800, 1_600, 3_200, 5_000].map { Duration.milliseconds($0) }
        .first { !pause.lasts(at: now + $0) }
      lengths.append(length ?? .zero)
      now += length ?? .zero
    }
    #expect(lengths == [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000].map { .milliseconds($0) })
    pause.noteAnswer()
    #expect(!pause.lasts(at: now))
    pause.noteSilence(at: now)
    #expect(!pause.lasts(at: now + EarlyPause.shortest))
  }
}
