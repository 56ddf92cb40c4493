import Foundation
import JobModel
import JobTransport
import Teller
import Testing

@testable import TellerCLI

@Suite("What is printed of jobs, departments and reports")
struct DocumentTextTests {
  private let job = JobID()
  private let other = JobID()
  private let now = Date(timeIntervalSince1970: 1_000)

  private func at(_ second: Int64) -> Timestamp { Timestamp(milliseconds: second * 1_000) }

  @Test("every reason of a held job has its word in front, and its end, its jobs and what lifts it below")
  func explain() {
    let reasons = [
      JobExplanation.Reason(hold: .schedule, text: "it is scheduled", since: at(940), until: at(1_060)),
      JobExplanation.Reason(hold: .after, text: "it waits for 1 job", lifts: "its success", jobs: [other]),
    ]
    let document = JobExplanation(job: job, state: .held, kind: "letter", department: "post", reasons: reasons)
    #expect(
      ExplainText.lines(document, now: now) == [
        "\(job) (letter in post) is held",
        "schedule    it is scheduled",
        "            since 1970-01-01T00:15:40.000Z (1 min ago)",
        "            until 1970-01-01T00:17:40.000Z (in 1 min)",
        "after       it waits for 1 job",
        "            job \(other)",
        "            what lifts it: its success",
      ])
    let nothing = JobExplanation(job: job, state: .held, kind: "letter", department: "post", reasons: [])
    #expect(ExplainText.lines(nothing, now: now).last == "            nothing holds it")
  }

  @Test("a job shows what holds and limits it, what became of it, and each attempt with start, end, worker and error")
  func show() {
    let failure = JobFailure(code: "no_paper", message: "the tray is empty")
    let record = Job(
      number: 1, id: job, kind: "letter", department: "post", priority: .normal,
      progress: JobProgress(state: .held, attempt: 2, maxAttempts: 3, release: 1, token: 1), notBefore: at(1_060),
      startBy: at(4_600), timeout: .seconds(30), key: "A-17", againOf: other, settlement: .replayed(other),
      acceptedAt: at(900))
    let attempt = AttemptRecord(
      number: 1, worker: WorkerID("w-1"), startedAt: at(990), endedAt: at(995), end: .failed, failure: failure)
    let text = JobText.lines(JobRecord(record, attempts: [attempt]), now: now)
    for line in [
      "held until  1970-01-01T00:17:40.000Z (in 1 min)", "start by    1970-01-01T01:16:40.000Z (in 1 h)",
      "timeout     30 s", "key         A-17", "again of    \(other)", "replayed as \(other)",
      "attempt 1   failed, started 1970-01-01T00:16:30.000Z (10 s ago), ended 1970-01-01T00:16:35.000Z (5 s ago), "
        + "after 5 s, on w-1, error no_paper: the tray is empty",
    ] { #expect(text.contains(line), "\(line)") }
    var cutShort = record
    cutShort.progress.deaths = 2
    #expect(
      JobText.lines(JobRecord(cutShort), now: now).contains("deaths      2 workers died or were lost while it ran"))
    var dropped = record
    dropped.settlement = .dropped
    #expect(JobText.lines(JobRecord(dropped), now: now).contains { $0.hasPrefix("dropped     yes") })
  }

  @Test("how far a job has come is one line, with its age")
  func progress() {
    let record = Job(
      number: 1, id: job, kind: "letter", department: "post", priority: .normal,
      progress: JobProgress(maxAttempts: 3), acceptedAt: at(900))
    var shown = JobRecord(record)
    shown.progress = RunProgress(0.29, "page 29\nof \u{1B}[2J100")
    shown.progress?.heardAt = at(995)
    #expect(
      JobText.lines(shown, now: now).contains(
        "progress    29 %  page 29 of ⟨U+001B⟩[2J100, said 1970-01-01T00:16:35.000Z (5 s ago)"))
    #expect(RunProgressText.bar(RunProgress(0.29), now: now) == "[#####...............]  29 %")
    #expect(RunProgressText.bar(RunProgress(1, "all"), now: now) == "[####################]  100 %  all")
    let old = shown.progress.map { RunProgressText.bar($0, now: at(1_005).date) }
    #expect(old == "[#####...............]  29 %  page 29 of ⟨U+001B⟩[2J100  (said 10 s ago)")
  }

  @Test("the line of a wait is about the job that has said something last, and ends with it")
  func waitLine() {
    var state = WaitProgress.State(jobs: 2)
    #expect(state.line(now: now) == nil)
    state.say(RunProgress(0.5), of: job)
    #expect(state.line(now: now) == "0 of 2 ended  \(job)  [##########..........]  50 %")
    state.end(other)
    state.say(RunProgress(0.9), of: other)
    #expect(state.line(now: now) == "1 of 2 ended  \(job)  [##########..........]  50 %")
    state.end(job)
    #expect(state.line(now: now) == nil)
    var single = WaitProgress.State(jobs: 1)
    single.say(RunProgress(0.5, "half"), of: job)
    #expect(single.line(now: now) == "[##########..........]  50 %  half")
  }

  @Test("a job of normal life shows nothing of all that")
  func showNothing() {
    let record = Job(
      number: 1, id: job, kind: "letter", department: "post", priority: .normal,
      progress: JobProgress(maxAttempts: 3), acceptedAt: at(900))
    let names = JobText.lines(JobRecord(record), now: now).map { $0.split(separator: " ").first }
    #expect(names == ["job", "kind", "department", "state", "priority", "attempt", "number", "accepted"])
  }

  @Test("failed jobs are listed with their attempts, when they failed and why")
  func failed() {
    let record = Job(
      number: 1, id: job, kind: "letter", department: "post", priority: .normal,
      progress: JobProgress(state: .failed, attempt: 3, maxAttempts: 3, release: 1, token: 1), acceptedAt: at(900),
      finishedAt: at(940), outcome: .failed(JobFailure(code: "no_paper", message: "x")))
    let lines = FailedTable.table([JobRecord(record)], now: now).lines(width: nil)
    #expect(lines == ["\(job)\tletter\tpost\t3/3\t1 min ago\tno_paper: x"])
  }

  private func status(_ departments: [DepartmentStatus], _ workers: [WorkerStatus], ignored: Int) -> [String] {
    let document = TellerStatus(
      ledger: LedgerID("l"), epoch: 1,
      coordinator: CoordinatorStatus(
        startedAt: at(900), version: "0", ignoredReports: ignored, notAllowed: ignored * 2),
      broker: BrokerStatus(state: .connected), departments: departments, workers: workers)
    return StatusText.lines(document, now: now, width: nil)
  }

  @Test("a status shows what was taken back, and which queues were gone")
  func deadLetters() {
    let causes = [("teller.reports.2", "missing"), ("teller.submissions.2", "expired")]
    let document = TellerStatus(
      ledger: LedgerID("l"), epoch: 1,
      coordinator: CoordinatorStatus(
        startedAt: at(900), version: "0",
        deadLetters: causes.map { DeadLetterCount(DeadLetterCause(queue: $0, reason: $1), count: 3) }),
      broker: BrokerStatus(state: .connected), departments: [], workers: [])
    let lines = StatusText.lines(document, now: now, width: nil)
    #expect(lines.contains { $0.contains("taken back  3 of teller.submissions.2: expired") })
    #expect(lines.contains { $0.contains("missing     teller.reports.2 was gone, with what waited in it") })
  }

  @Test("a status shows what is special about departments, stuck jobs, and reports that were ignored")
  func special() {
    let department = DepartmentStatus(
      department: "post", isOrdered: false, isPaused: true, window: 10, cap: 3, tellers: 4, stuckTellers: 1, held: 7,
      delayed: 2,
      retrying: 2,
      nextRetry: NextRetry(
        at: Timestamp(now) + .seconds(120), error: JobFailure(code: "connection_refused", message: "no")),
      dependent: 1, void: 1, queued: 1, running: 0, succeeded: 7, failed: 0, cancelled: 0)
    let worker = WorkerStatus(
      id: WorkerID("w"), name: "desk-1", tellers: ["post": 4, "till": 1], paused: ["post"], running: 1, stuck: [job],
      lastSeenMs: 400)
    let lines = status([department], [worker], ignored: 3)
    #expect(lines.contains("ignored     3 reports") && lines.contains("not allowed 6 messages"))
    #expect(
      lines.contains {
        $0.hasSuffix(
          "1 of 4 tellers stuck, paused, cap 3, next retry in 2 min: connection_refused, 2 delayed, 1 dependent, 1 void"
        )
      })
    #expect(lines.contains { $0.contains("post=4 (paused) till=1") })
    #expect(lines.last == "stuck: job \(job) on desk-1")
    let hanging = WorkerStatus(
      id: WorkerID("w"), name: "desk-1", tellers: [:], paused: [], running: 30, stuck: (0..<30).map { _ in JobID() },
      lastSeenMs: 400)
    #expect(status([department], [hanging], ignored: 0).last == "stuck: 10 more jobs on desk-1")
  }

  @Test("a status of normal life has no remarks")
  func normal() {
    let department = DepartmentStatus(
      department: "post", isOrdered: false, isPaused: false, window: 10, cap: nil, tellers: 4, held: 5, delayed: 0,
      dependent: 0,
      void: 0, queued: 1, running: 0, succeeded: 7, failed: 0, cancelled: 0)
    let text = status([department], [], ignored: 0).joined(separator: "\n")
    for word in ["ignored", "not allowed", "delayed", "void", "cap", "ahead", "stuck"] { #expect(!text.contains(word)) }
  }

  @Test("a status has the age of the oldest waiting job, and the rates of the last minute")
  func agesAndRates() {
    let department = DepartmentStatus(
      department: "post", isOrdered: false, isPaused: false, window: 10, cap: nil, tellers: 4, held: 5, delayed: 0,
      dependent: 0, void: 0, queued: 1, running: 2, succeeded: 7, failed: 8, unsettled: 3, cancelled: 9,
      acceptedLastMinute: 210,
      endedLastMinute: 30, oldestWaiting: .seconds(150))
    let text = status([department], [], ignored: 0)
    let row = text.first { $0.hasPrefix("post ") }?.split(separator: " ").joined(separator: " ")
    #expect(row == "post 4 6 2 min 30 s 0 0 2 3.5 0.5 7 3 9")
    #expect(
      [0, 1.0 / 60, 0.094, 0.096, 0.22, 0.96, 3.5, 9.96, 13.37, 120, 1_234.4].map(StatusText.rate) == [
        "0", "0.02", "0.09", "0.1", "0.2", "1.0", "3.5", "10", "13", "120", "1,234",
      ])
  }

  private func worker(
    _ id: String, kinds: Set<JobKind>?, isDraining: Bool = false, isToldToDrain: Bool = false, stuck: [JobID] = []
  ) -> WorkerPage.Worker {
    let status = WorkerStatus(
      id: WorkerID(id), name: "desk-1", tellers: ["till": 1, "post": 4], paused: ["till"], running: 2, inHand: 3,
      stuck: stuck, isDraining: isDraining, isToldToDrain: isToldToDrain, lastSeenMs: 400)
    return WorkerPage.Worker(status, kinds: kinds)
  }

  @Test("the rows of workers have their departments, their state and the kinds of their handlers")
  func workers() {
    let workers = [
      worker("a", kinds: ["letter", "card"]), worker("b", kinds: nil, isToldToDrain: true),
      worker("c", kinds: [], isDraining: true, isToldToDrain: true, stuck: [job, job]),
    ]
    #expect(
      WorkersText.table(workers).lines(width: nil) == [
        "a\tdesk-1\tpost=4 till=1 (paused)\t2\t3\t400 ms ago\tserving\tcard letter",
        "b\tdesk-1\tpost=4 till=1 (paused)\t2\t3\t400 ms ago\ttold to drain\tall",
        "c\tdesk-1\tpost=4 till=1 (paused)\t2\t3\t400 ms ago\tdraining, 2 stuck\t",
      ])
    let text = status([], workers.map(\.status), ignored: 0)
    #expect(text.contains { $0.contains("told to drain") } && text.contains { $0.contains("draining, 2 stuck") })
  }

  @Test("the answer to a drain says whether the worker was told, and how many jobs still run")
  func drain() {
    func line(isNew: Bool = true, isTold: Bool = true, isDraining: Bool = false, running: Int = 3) -> String {
      DrainText.line(
        WorkerDrain(
          id: WorkerID("w"), name: "desk\n1", isNew: isNew, isTold: isTold, isDraining: isDraining, running: running,
          lastSeenMs: 90_000))
    }
    #expect(line() == "worker desk 1 (w) is told to drain; 3 jobs run")
    #expect(line(isNew: false, running: 1) == "worker desk 1 (w) is told to drain, as before; 1 job runs")
    #expect(line(isNew: false, isDraining: true, running: 0) == "worker desk 1 (w) drains already; 0 jobs run")
    let silent = "worker desk 1 (w) has been silent for 1 min 30 s: it is told to drain when it is heard again"
    #expect(line(isTold: false) == silent)
  }

  @Test("the rows of schedules, keys and plans say what there is, and have a dash for what there is not")
  func lists() {
    let fired = ScheduleStatus(
      name: "hourly", expression: "@hourly", timeZone: "GMT", kind: "letter", department: "post", next: at(1_060),
      last: at(940), lastJob: job, lastState: .succeeded)
    let never = ScheduleStatus(
      name: "never", expression: "0 0 30 2 *", timeZone: "GMT", kind: "letter", department: nil, next: nil, last: nil)
    #expect(
      SchedulesText.table([fired, never], now: now).lines(width: nil) == [
        "hourly\t@hourly\tGMT\tletter\tin 1 min\t1 min ago\t\(job)\tsucceeded",
        "never\t0 0 30 2 *\tGMT\tletter\t–\t–\t–\t–",
      ])
    let taken = [(JobState?.some(.held), Int64(1_060)), (.running, 940), (nil, 1_060)].map { state, until in
      TakenKey(kind: "letter", key: "a b", job: job, state: state, until: at(until))
    }
    #expect(
      KeysText.table(taken, now: now).lines(width: nil) == [
        "letter\ta b\t\(job)\theld\tin 1 min", "letter\ta b\t\(job)\trunning\tits job ends",
        "letter\ta b\t\(job)\tended\tin 1 min",
      ])
    let plan = PlanStatus(
      id: job, name: "sorting", phase: .running, number: 7, department: "post", state: .held, steps: 12, stepsDone: 5,
      acceptedAt: at(940),
      finishedAt: nil)
    let page = PlanPage(plans: [plan], notStarted: ["closing"], stopped: ["night"], next: nil)
    #expect(
      PlanLine.table(PlanLine.lines(of: page), now: now).lines(width: nil) == [
        "closing\tnot_started\t–\t–\t–\t–", "night\tstopped\t–\t–\t–\t–",
        "sorting\trunning\t\(job)\tpost\t5/12\t1 min ago",
      ])
  }

  @Test("a report has its counts and its times, and a dash where nothing ran")
  func report() {
    let line = JobReport.Line(
      department: "post", succeeded: 3, failed: 2, cancelled: 1, retries: 4,
      waited: JobReport.Times(p50: 5, p90: 1_500, p99: 2_000, max: 60_000, sum: 90_000), ran: nil)
    let report = JobReport(from: at(900), until: at(990), lines: [line], isTruncated: false, epoch: 1, through: 9)
    let lines = ReportText.lines(report, now: now, width: 80)
    #expect(lines.contains("post        3          2       1          4"))
    #expect(lines.contains("post        waited  5 ms  1.5 s  2 s  1 min"))
    #expect(lines.contains("post        ran     –     –      –    –"))
    #expect(lines.allSatisfy { $0.count <= 80 })
    let nothing = JobReport(from: nil, until: nil, lines: [], isTruncated: false, epoch: 1, through: 9)
    #expect(ReportText.lines(nothing, now: now, width: 80) == ["nothing has ended"])
  }
}
