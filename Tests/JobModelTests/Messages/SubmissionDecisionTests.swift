import JobModel
import Testing

@Suite("What was decided about a submission, in words")
struct SubmissionDecisionTests {
  private static let other = JobID()
  private static let failure = JobFailure(
    code: "dependency", message: "job 1, which it waited for, was cancelled")

  @Test(
    "the words of the failure stay as they are, whatever the sentence around them",
    arguments: [
      (SubmissionDecision(.accepted), "accepted"),
      (SubmissionDecision(.accepted, state: .failed, failure: failure), "accepted, and has failed (\(failure))"),
      (SubmissionDecision(.accepted, state: .cancelled, failure: failure), "accepted, and was cancelled (\(failure))"),
      (
        SubmissionDecision(.duplicate, other: other, state: .failed, isSameContent: false, failure: failure),
        "a duplicate of job \(other), whose content differs, which has failed (\(failure))"
      ),
      (SubmissionDecision(.duplicate, other: other, state: .running), "a duplicate of job \(other), which is running"),
      (SubmissionDecision(.replaced, other: other), "accepted, and has what job \(other) had before"),
    ])
  func words(decision: SubmissionDecision, text: String) { #expect("\(decision)" == text) }

  @Test("the words about an event are the same, with its noun")
  func event() {
    let decision = SubmissionDecision(.duplicate, other: Self.other, state: .succeeded, isSameContent: true)
    #expect(decision.text(of: "event") == "a duplicate of event \(Self.other), which has succeeded")
  }
}
