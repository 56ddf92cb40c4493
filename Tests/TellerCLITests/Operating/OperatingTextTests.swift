import ArgumentParser
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
    let next = command.page.nextPage(
      41, program: "teller", command: "failed", [("--kind", "x"), ("--department", nil)])
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
      command.page.nextPage(41, program: "./bin/teller", command: "jobs", command.page.global.given)
        == #"./bin/teller jobs --config 'my bank/teller'\''s.yaml' --broker 'amqp://host/a?b' --insecure "#
        + "--log-level debug --limit 50 --before 41")
    #expect(ShellWord.quoted("") == "''")
    #expect(ShellWord.quoted("a;$(b)") == "'a;$(b)'")
  }

  @Test("who is asked is told how many jobs of what it is about")
  func confirmation() {
    let department = DepartmentStatus(
      department: "post", isOrdered: false, isPaused: false, window: 10, cap: nil, tellers: 4, held: 5, delayed: 0,
      dependent: 0,
      void: 0, queued: 2, running: 1, succeeded: 7, failed: 0, cancelled: 0)
    #expect(ConfirmationText.open([department, department]) == "10 held, 4 queued, 2 running")
    #expect(ConfirmationText.failed(JobPage(jobs: [], next: nil)) == "0")
    #expect(ConfirmationText.failed(JobPage(jobs: [], next: 7)) == "0 or more")
    for help in [CancelCommand.helpMessage(), ResetCommand.helpMessage(), DropCommand.helpMessage()] {
      #expect(help.replacing("\n", with: " ").contains("exits with 2"))
    }
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
