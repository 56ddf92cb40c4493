import Foundation
import JobModel
import JobTransport
import Testing
import TestSupport

@testable import Teller

@Suite("What a submission says of its holds", .timeLimit(.minutes(10)))
struct SubmissionHoldsTests {
  private func job(_ change: (inout JobSubmission<JSONValue>) -> Void) -> JobSubmission<JSONValue> {
    var job = JobSubmission(kind: "deposit", payload: [])
    change(&job)
    return job
  }

  /// Why a submission is refused.
  private func problem(_ change: (inout JobSubmission<JSONValue>) -> Void) -> String? {
    do throws(TellerError) {
      try job(change).check()
      return nil
    } catch {
      return error.description
    }
  }

  @Test("a job's content type is not that of several jobs in one message, however it is written")
  func contentType() {
    for type in ["application/vnd.teller.submissions", "Application/vnd.Teller.Submissions; charset=x"] {
      #expect(problem { $0.contentType = type }?.contains("several submissions") == true)
    }
    #expect(problem { $0.contentType = "application/json" } == nil)
  }

  @Test("delay, start limit, run limit, dependencies and key arrive as they were said")
  func durations() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    let others = [JobID(), JobID()]
    let submission = job { job in
      job.delay = .seconds(90)
      job.startWithin = .seconds(3_600)
      job.timeout = .milliseconds(1_500)
      job.after = others + others
      job.afterFailed = .cancel
      job.key = "A-17"
      job.keyWindow = .lasting(.milliseconds(1_001))
    }
    _ = try await client.submit(submission)
    let arrived = try await coordinator.nextJob()
    #expect(arrived.runAt == .within(.seconds(90)))
    #expect(arrived.startBy == .within(.seconds(3_600)))
    #expect(arrived.timeout == .milliseconds(1_500))
    #expect(arrived.after == Dependencies(jobs: others, rule: .cancel), "each once")
    #expect(arrived.key == SubmissionKey(text: "A-17", window: .seconds(2)), "a part of a second counts as one")
    await client.close()
    await coordinator.close()
  }

  @Test("moments arrive to the millisecond, and nothing is said that was not said")
  func moments() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    let moment = Date(timeIntervalSinceNow: 3_600)
    let submission = job { job in
      job.runAt = moment
      job.startBy = moment
    }
    _ = try await client.submit(contentsOf: [submission, job { $0.key = "x" }])
    let first = try await coordinator.nextJob()
    #expect(first.runAt == .at(Timestamp(moment)))
    #expect(first.startBy == .at(Timestamp(moment)))
    #expect(first.timeout == nil && first.after == nil && first.key == nil)
    let second = try await coordinator.nextJob()
    #expect(second.key == SubmissionKey(text: "x", window: .lasting(SubmissionKey.defaultWindow)))
    #expect(second.runAt == nil && second.startBy == nil)
    await client.close()
    await coordinator.close()
  }

  @Test("what the coordinator would reject is refused before anything is sent")
  func refused() {
    let far = Submission.longestWait + .seconds(10)
    let id = JobID()
    let wrong: [(inout JobSubmission<JSONValue>) -> Void] = [
      { ($0.delay, $0.runAt) = (.seconds(1), Date()) }, { ($0.startBy, $0.startWithin) = (Date(), .seconds(1)) },
      { $0.delay = .seconds(-1) }, { $0.delay = far }, { $0.runAt = Date(timeIntervalSinceNow: 400_000_000) },
      { $0.startBy = Date(timeIntervalSince1970: -1) }, { $0.timeout = .zero }, { $0.timeout = .seconds(604_801) },
      { ($0.id, $0.after) = (id, [id]) }, { $0.after = (0...Dependencies.limit).map { _ in JobID() } },
      { $0.key = "" }, { $0.key = String(repeating: "x", count: 201) }, { $0.keyWindow = .seconds(5) },
      { ($0.key, $0.keyWindow) = ("x", .lasting(.zero)) }, { $0.runAt = Date(timeIntervalSince1970: .infinity) },
    ]
    for (index, change) in wrong.enumerated() {
      #expect(problem(change)?.isEmpty == false, "number \(index) is taken")
    }
    #expect(problem { $0.runAt = Date(timeIntervalSince1970: 0) } == nil, "what has passed holds nothing")
  }
}
