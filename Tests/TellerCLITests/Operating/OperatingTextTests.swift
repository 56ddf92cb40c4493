import ArgumentParser
import Foundation
import JobModel
import JobTransport
import Teller
import Testing

@testable import TellerCLI

@Suite("What commands about jobs print")
struct OperatingTextTests {
  private let jobs = (0..<4).map { _ in JobID() }

  private func unchanged(_ job: Int, _ reason: JobChanges.Reason, replay: JobID? = nil) -> JobChanges.Unchanged {
    JobChanges.Unchanged(job: jobs[job], reason: reason, replay: replay)
  }

  @Test("the help of explain names every hold", arguments: JobExplanation.Hold.all)
  func holds(hold: JobExplanation.Hold) {
    #expect(ExplainCommand.configuration.discussion.contains(hold.rawValue))
  }

  @Test("the help of actions names every word that is recorded without a command", arguments: ActionNote.Word.allCases)
  func words(word: ActionNote.Word) {
    #expect(ActionsCommand.configuration.discussion.contains(word.rawValue))
  }

  @Test("a line for each job that was changed, with what it is replayed as")
  func changed() {
    let cancelled = JobChanges(changed: [jobs[0]])
    #expect(ChangeText(action: .cancel).lines(cancelled) == ["\(jobs[0]) cancelled"])
    let replayed = JobChanges(changed: [jobs[0], jobs[1]], replays: [jobs[2], jobs[3]])
    #expect(
      ChangeText(action: .replay).lines(replayed) == [
        "\(jobs[0]) replayed as \(jobs[2])", "\(jobs[1]) replayed as \(jobs[3])",
      ])
  }

  @Test("a note for each job that was left as it is")
  func notes() {
    let document = JobChanges(unchanged: [unchanged(0, .ended), unchanged(1, .replayed, replay: jobs[2])])
    let notes = ChangeText(action: .replay).notes(document)
    #expect(notes.first?.contains("\(jobs[0]) is left as it is: it has ended") == true)
    #expect(notes.last?.hasSuffix("submitted again as \(jobs[2])") == true)
  }

  @Test(
    "the exit code tells a job that is not known from one that cannot be changed; one that was changed before is well")
  func status() {
    let status = { (action: JobAction, reasons: [JobChanges.Reason]) in
      ChangeText(action: action).status(JobChanges(unchanged: reasons.map { unchanged(0, $0) }))
    }
    #expect(status(.cancel, []) == .success)
    #expect(status(.cancel, [.ended]) == .rejected)
    #expect(status(.cancel, [.ended, .unknown]) == .unknownJob)
    #expect(status(.replay, [.replayed]) == .success)
    #expect(status(.replay, [.dropped]) == .rejected)
    #expect(status(.drop, [.dropped]) == .success)
    #expect(status(.drop, [.notFailed]) == .rejected)
  }

  private func operation(_ finished: Int64?, changed: Int = 60, looked: Int = 70, total: Int = 100) -> JobOperation {
    JobOperation(
      id: 7, action: .cancel, department: "loan", kind: nil, changed: changed, looked: looked, total: total,
      startedAt: Timestamp(milliseconds: 1_000), finishedAt: finished.map(Timestamp.init))
  }

  @Test("an operation tells how far it is, no wider than the terminal, and how it ended")
  func operations() {
    #expect(
      OperationText.progress(operation(nil)) == "cancel: 70 of 100 jobs looked at, 60 cancelled")
    #expect(OperationText.progress(operation(nil, looked: 120)).contains("120 of 120"))
    #expect(
      OperationText.line(operation(nil))
        == "operation 7 goes on: cancel of department loan, 70 of 100 looked at, 60 cancelled")
    #expect(
      OperationText.line(operation(3_500)) == "cancel of department loan: 60 cancelled, of 70 looked at, in 2.5 s")
  }

  @Test("the command for the next page is the one that was given")
  func nextPage() throws {
    let command = try #require(try TellerCommand.parseAsRoot(["failed", "--limit", "20"]) as? FailedCommand)
    let options: GivenOptions = [("--kind", "x"), ("--department", nil)]
    let next = NextPage.text(program: "teller", "failed", options + command.page.nextPage(41))
    #expect(next == "teller failed --kind x --limit 20 --before 41")
    #expect(throws: Never.self) {
      try TellerCommand.parseAsRoot(next.split(separator: " ").dropFirst().map(String.init))
    }
  }

  @Test("the command for the next page has every option that was given, as a shell reads it")
  func nextPageEverywhere() throws {
    let arguments = [
      "jobs", "--config", "my bank/teller's.yaml", "--broker", "amqp://host/a?b", "--insecure", "--log-level",
      "debug",
    ]
    let command = try #require(try TellerCommand.parseAsRoot(arguments) as? JobsCommand)
    #expect(
      NextPage.text(program: "./bin/teller", "jobs", command.page.global.given + command.page.nextPage(41))
        == #"./bin/teller jobs --config 'my bank/teller'\''s.yaml' --broker 'amqp://host/a?b' --insecure "#
        + "--log-level debug --limit 50 --before 41")
    #expect(ShellWord.quoted("") == "''")
    #expect(ShellWord.quoted("a;$(b)") == "'a;$(b)'")
    #expect(ShellWord.quoted("a'\u{180E}\u{2028}\\") == #"$'a\'\341\240\216\342\200\250\\'"#)
    #expect(ShellWord.quoted("grün") == "'grün'")
  }

  private func open(_ department: Department?, _ kind: JobKind?, _ counts: [Int], plans: Int = 0) -> JobCount {
    JobCount(
      .cancel, department: department, kind: kind, held: counts[0], queued: counts[1], running: counts[2], plans: plans)
  }

  @Test("who is asked is told how many jobs of what scope, and of what states, it is about")
  func confirmation() {
    #expect(
      CountText.question(open("loan", "letter", [60_000, 990, 10]))
        == "Cancel all 61,000 jobs of kind letter in department loan (60,000 held, 990 queued, 10 running)?")
    #expect(
      CountText.question(open("loan", nil, [1, 0, 0], plans: 1))
        == "Cancel 1 job in department loan (1 held, 0 queued, 0 running) and 1 running plan?")
    var reset = open(nil, nil, [1, 2, 3], plans: 3)
    reset.action = .reset
    #expect(
      CountText.question(reset) == "Cancel all 6 jobs (1 held, 2 queued, 3 running) and all 3 running plans?")
    let failed = { JobCount($0, department: nil, kind: "deposit", failed: $1) }
    #expect(CountText.question(failed(.replay, 17)) == "Replay all 17 failed jobs of kind deposit?")
    #expect(CountText.question(failed(.drop, 1)) == "Drop 1 failed job of kind deposit?")
    for help in [
      CancelCommand.helpMessage(), ResetCommand.helpMessage(), DropCommand.helpMessage(), ReplayCommand.helpMessage(),
    ] {
      #expect(help.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains("exits with 2"))
    }
  }

  @Test("a dry run says what would be done, also when that is nothing")
  func dryRun() {
    #expect(CountText.line(open(nil, nil, [2, 0, 0])) == "would cancel all 2 jobs (2 held, 0 queued, 0 running)")
    #expect(
      CountText.line(open("loan", "x", [0, 0, 0]))
        == "nothing to cancel: no job of kind x in department loan waits or runs")
    let none = JobCount(.drop, department: "loan", kind: nil, failed: 0)
    #expect(CountText.line(none) == "nothing to drop: no failed job in department loan is left")
  }

  @Test("large numbers have a comma before each three digits")
  func grouped() {
    #expect(
      [0, 7, 999, 1_000, 61_000, 10_000_000, -1_234].map(\.grouped) == [
        "0", "7", "999", "1,000", "61,000", "10,000,000", "-1,234",
      ])
  }

  @Test("counts by error are shown the largest first, and what is left out is told")
  func failures() {
    let line = { (jobs: Int, error: String) in
      FailureCounts.Line(
        department: "loan", kind: "letter", error: error, jobs: jobs, newestAt: Timestamp(milliseconds: 1_000),
        example: self.jobs[0])
    }
    let counts = FailureCounts(lines: [line(3, "lost"), line(40, "timeout")], next: nil)
    let now = Date(timeIntervalSince1970: 4)
    #expect(
      FailureTable.table(counts.lines, now: now).lines(width: nil) == [
        "40\ttimeout\tletter\tloan\t3 s ago\t\(jobs[0])", "3\tlost\tletter\tloan\t3 s ago\t\(jobs[0])",
      ])
    #expect(FailureTable.notes(counts, shown: 2) == [])
    #expect(FailureTable.notes(counts, shown: 1) == ["1 of 2 lines are shown: for all add --limit 2"])
    let more = FailureCounts(lines: counts.lines, next: 41)
    #expect(FailureTable.notes(more, shown: 2).first?.hasSuffix("--before 41") == true)
  }

  @Test("what the broker does not take is told by the line to go on with")
  func incomplete() {
    let reason = TellerError.submissionsFull(waited: .seconds(1))
    #expect(BatchProblem.text(submitted: 0, line: 1, reason).hasPrefix("no job is known to be submitted: "))
    let text = BatchProblem.text(submitted: 4_000, line: 4_001, reason)
    #expect(text.hasPrefix("only 4000 jobs are known to be submitted: the submission queue"))
    #expect(text.contains("go on with line 4001"))
  }

  @Test("a batch tells how much of it has its answer, and how quickly")
  func progress() {
    var state = SubmissionProgress.State()
    #expect(ProgressText.line(state, elapsed: .seconds(1)) == "0 accepted, 0 rejected, 0 jobs/s")
    state = SubmissionProgress.State(read: 0.5, lines: 1_000, accepted: 996, rejected: 4)
    #expect(ProgressText.part(state) == 0.5)
    #expect(
      ProgressText.line(state, elapsed: .seconds(2))
        == "[##########..........]  50 %  996 accepted, 4 rejected, 498 jobs/s")
    #expect(Output.fitting(ProgressText.line(state, elapsed: .zero), columns: 12).count == 11)
    #expect(Output.fitting("abc", columns: 0).isEmpty)
    state = SubmissionProgress.State(read: 1, lines: 0)
    #expect(ProgressText.part(state) == 0)
    state = SubmissionProgress.State(read: 1, lines: 8, accepted: 8)
    #expect(ProgressText.line(state, elapsed: .seconds(1)).hasPrefix("[####################] 100 %"))
  }

  @Test("what a coordinator does not know has the exit code of what is not there")
  func unknown() {
    for code in ["not_found", "unknown_department"] {
      #expect(Failure(TellerError.refused(JobFailure(code: code, message: "x"))).status == .unknownJob)
    }
    #expect(Failure(TellerError.refused(JobFailure(code: "busy", message: "x"))).status == .noCoordinator)
    #expect(Failure(TellerError.refused(JobFailure(code: "internal", message: "x"))).status == .internalError)
    #expect(Failure(TellerError.refused(JobFailure(code: "bad_request", message: "x"))).status == .rejected)
  }
}
