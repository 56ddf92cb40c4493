import ArgumentParser
import JobModel
import Teller
import Testing

@testable import TellerCLI

@Suite("Exit codes")
struct ExitStatusTests {
  @Test("each code is in the help, with what it means")
  func help() {
    for status in TellerCLI.ExitStatus.allCases {
      #expect(TellerCLI.ExitStatus.help.contains("\(status.rawValue)  \(status.meaning)"))
    }
    #expect(TellerCommand.helpMessage().contains("75  no coordinator answers"))
  }

  @Test(
    "errors have the code that says who must act",
    arguments: [
      (TellerError.brokerUnavailable(reason: "x"), TellerCLI.ExitStatus.brokerUnavailable),
      (.brokerBlocked(reason: "x"), .brokerUnavailable),
      (.brokerRefused(reason: "x"), .brokerUnavailable), (.encryptionFailed(reason: "x"), .brokerUnavailable),
      (.noCoordinatorEver, .noCoordinator),
      (.noCoordinator(silentFor: .seconds(1)), .noCoordinator), (.unknownJob(JobID()), .unknownJob),
      (.timedOut(waitingFor: "x", limit: .seconds(1)), .timedOut),
      (.incomplete(submitted: 1, of: 2, reason: .brokerUnavailable(reason: "x")), .brokerUnavailable),
    ])
  func codes(error: TellerError, status: TellerCLI.ExitStatus) {
    #expect(Failure(error).status == status)
  }

  @Test("a message is one line, whatever a peer put into it")
  func oneLine() {
    let failure = Failure(TellerError.brokerRefused(reason: "a\nb"))
    #expect(failure.message?.contains("\n") == false)
  }

  @Test("what is not accepted yet comes before what was rejected, and that before what failed")
  func totals() {
    #expect(SubmissionTotals().status == .success)
    #expect(SubmissionTotals(failed: 1).status == .jobFailed)
    #expect(SubmissionTotals(badLines: 1, failed: 1).status == .rejected)
    #expect(SubmissionTotals(rejected: 1, outcomeUnknown: 1).status == .noCoordinator)
    #expect(SubmissionTotals(failed: 1, unknown: 1).status == .unknownJob)
    #expect(SubmissionTotals(outcomeUnknown: 1, unknown: 1).status == .noCoordinator)
    #expect(SubmissionTotals(unknown: 3).text.contains("not known any more 3"))
    #expect(SubmissionTotals(rejected: 1, notYetAccepted: 1, outcomeUnknown: 1).status == .notYetAccepted)
  }

  @Test("0 is for what will run or has run; where the outcome is waited for, it decides")
  func decisions() {
    let failure = JobFailure(code: "poison", message: "")
    let decisions: [(SubmissionDecision, TellerCLI.ExitStatus)] = [
      (SubmissionDecision(.accepted), .success), (SubmissionDecision(.replaced, other: JobID()), .success),
      (SubmissionDecision(.accepted, state: .failed, failure: failure), .rejected),
      (SubmissionDecision(.duplicate, state: .held, isSameContent: true), .success),
      (SubmissionDecision(.duplicate, state: .running, isSameContent: false), .success),
      (SubmissionDecision(.duplicate, state: .succeeded), .success), (SubmissionDecision(.duplicate), .success),
      (SubmissionDecision(.duplicate, state: .failed, failure: failure), .rejected),
      (SubmissionDecision(.duplicate, state: .cancelled, failure: failure), .rejected),
    ]
    for (decision, expected) in decisions {
      var (told, waited) = (SubmissionTotals(), SubmissionTotals())
      told.count(decision, waits: false)
      waited.count(decision, waits: true)
      #expect(told.status == expected && waited.status == .success, "\(decision)")
      #expect(told.accepted == 1 && told.duplicates == (decision.answer == .duplicate ? 1 : 0))
    }
  }
}
