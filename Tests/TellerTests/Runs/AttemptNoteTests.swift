import JobModel
import Logging
import Testing

@testable import Teller

@Suite("The words about an attempt that did not succeed")
struct AttemptNoteTests {
  private struct Oops: Error, CustomStringConvertible {
    var description = "the disk\nis full"
  }

  private func note(
    _ attempt: Int, _ error: any Error, cancelled reason: RunControl.Reason? = nil
  ) -> AttemptNote {
    let job = JobInfo(attempt: attempt, maxAttempts: 3, kind: "letter", department: "post")
    return AttemptNote(
      job, AttemptResult(thrown: error, cancelled: reason), error, cancelled: reason, wait: .milliseconds(2_040))
  }

  @Test("a failure that is tried again is a warning with the attempt, the error and the wait, in one line")
  func warning() throws {
    let note = note(1, Oops())
    #expect(note.level == .warning)
    #expect(note.text == "attempt 1 of 3 failed in post, again in about 2 s: handler_error: the disk is full")
    let failed = try #require(note.failed)
    #expect(failed.error is Oops)
    #expect(failed.failure.code == JobFailure.Code.handlerError)
    #expect(failed.again == .milliseconds(2_040))
  }

  @Test("a failure that ends the job is an error", arguments: [true, false])
  func final(isPermanent: Bool) throws {
    let error: any Error = isPermanent ? PermanentFailure(code: "gone", message: "no such address") : Oops()
    let note = note(isPermanent ? 1 : 3, error)
    #expect(note.level == .error)
    #expect(note.text.contains("and so has the job: "))
    #expect(try #require(note.failed).again == nil)
  }

  @Test("an error that the handler throws after its time limit is told with the timeout")
  func late() throws {
    let late = note(1, Oops(description: "the connection broke"), cancelled: .timeout(.seconds(3)))
    #expect(late.level == .warning)
    #expect(late.text.contains("timeout: "))
    #expect(late.text.hasSuffix("; then it threw: the connection broke"))
    #expect(try #require(late.failed).failure == .timeout(.seconds(3)))
    // It says nothing that the timeout does not say.
    #expect(!note(1, CancellationError(), cancelled: .timeout(.seconds(3))).text.contains("threw"))
  }

  @Test("a snooze, a discard and the run of a job that has ended are told, and are no failures")
  func noFailures() {
    for (error, reason, level): (any Error, RunControl.Reason?, Logger.Level) in [
      (JobSnooze(for: .seconds(5)), nil, .info), (JobDiscard("the customer has left"), nil, .notice),
      (CancellationError(), .jobEnded, .info), (CancellationError(), .closed, .info),
    ] {
      let note = note(1, error, cancelled: reason)
      #expect(note.level == level, "\(note.text)")
      #expect(note.failed == nil, "\(note.text)")
    }
  }

  @Test("a long error is cut")
  func bounded() {
    let text = note(1, Oops(description: String(repeating: "x", count: 10_000))).text
    #expect(text.count < AttemptNote.longestError + 100)
  }
}
