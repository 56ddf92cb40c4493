import JobModel
import Testing

@testable import TellerCLI

@Suite("What `event` says about an event that was sent")
struct SentEventTests {
  private static let event = JobID()
  private static let failure = JobFailure(code: "dismissed", message: "somebody has dismissed it")

  /// What `--json` prints beside the event.
  private struct Sent: Encodable {
    let name = "push"
    let state = "acted"
  }

  private func json(_ decision: SubmissionDecision) throws -> String {
    try PrintedJSON.text(SentEvent(Sent(), decision))
  }

  @Test("a new one is accepted, and needs no line for people")
  func accepted() throws {
    let decision = SubmissionDecision(.accepted)
    #expect(try json(decision) == #"{"event":"accepted","name":"push","state":"acted"}"#)
    #expect(EventText.note(decision, waits: false) == nil)
  }

  @Test("one that came before is a duplicate, in the words of `submit`", arguments: [false, true])
  func duplicate(waits: Bool) throws {
    let decision = SubmissionDecision(.duplicate, other: Self.event, state: .succeeded, isSameContent: true)
    let members = #""content":"same","duplicate_of":"\#(Self.event)","event":"duplicate","name":"push","state":"acted""#
    #expect(try json(decision) == "{\(members)}")
    let line = "event \(Self.event) is a duplicate of event \(Self.event), which has succeeded"
    #expect(EventText.note(decision, waits: waits) == line)
  }

  @Test("for one that was dismissed nothing will run, with the reason; with --wait its outcome says so")
  func dismissed() throws {
    let decision = SubmissionDecision(
      .duplicate, other: Self.event, state: .cancelled, isSameContent: true, failure: Self.failure)
    let error = #""error":{"error":"dismissed","message":"somebody has dismissed it"}"#
    #expect(try json(decision).contains(error))
    let line = "event \(Self.event) is a duplicate of event \(Self.event), which was cancelled (\(Self.failure))"
    #expect(EventText.note(decision, waits: true) == line)
    #expect(EventText.note(decision, waits: false) == "\(line): nothing will run")
  }
}
