import AMQP
import JobModel
import TestSupport
import Testing

@testable import JobTransport

@Suite("JSON within a message")
struct EmbeddedJSONTests {
  private static let noValues = [
    "", " ", "hello", "{", #"{"page":1},"plan":"other""#, #"1,"plan":"other""#, #"1}{"event":"mail""#, "1 2", "[1]]",
    #"{"a":1}}"#, "\u{FEFF}1", #""\x""#,
  ]
  private static let values = ["1", "null", "\"hello\"", " {\"a\": [1,  2]} \n", "[]", "1.50e3"]

  private func event(_ payload: [UInt8]) -> EventSubmission {
    EventSubmission(id: JobID(), name: "push", content: JobContent(payload: payload))
  }

  private func nested(_ levels: Int) -> [UInt8] {
    Array(String(repeating: "[", count: levels).utf8) + Array(String(repeating: "]", count: levels).utf8)
  }

  @Test("is one value: anything else could go on with members of its own", arguments: noValues)
  func refused(_ text: String) throws {
    let payload = Array(text.utf8)
    #expect(EmbeddedJSON.flaw(of: payload)?.hasPrefix("not JSON: ") == true)
    let (start, step) = (PlanStart(id: JobID(), plan: "day", payload: payload), step(payload))
    let ofStart = try #require(throws: JobFailure.self) { try SubmissionCodec.encode(start) }
    #expect(ofStart.message.hasPrefix("the payload for plan day (\(start.id)) is not JSON: "))
    let ofStep = try #require(throws: JobFailure.self) { try SubmissionCodec.encode(step) }
    #expect(ofStep.message.contains("the payload of step \"a\" is not JSON: "))
    // An event without a payload has none.
    if text.isEmpty { return }
    let event = event(payload)
    let ofEvent = try #require(throws: JobFailure.self) { try SubmissionCodec.encode(event) }
    #expect(ofEvent.message.hasPrefix("the payload of event push (\(event.id)) is not JSON: "))
    #expect(ofEvent.message.hasSuffix("or leave the payload empty"))
  }

  @Test("bytes that are no text are refused")
  func noText() { #expect(EmbeddedJSON.flaw(of: [0x22, 0xFF, 0x22]) == "not JSON: it is not UTF-8") }

  @Test("comes through a message as it is", arguments: values)
  func taken(_ text: String) throws {
    #expect(EmbeddedJSON.flaw(of: Array(text.utf8)) == nil)
    let event = event(Array(text.utf8))
    let body = try EventBody.read(try SubmissionCodec.encode(event).body)
    let value = text == "null" ? nil : Array(text.utf8.drop { $0 == 0x20 }.prefix { $0 != 0x0A })
    guard case .event("push", plan: nil, let payload) = body else { throw Unreadable("\(body)") }
    #expect(payload == value.map { $0.last == 0x20 ? $0.dropLast() : $0 })
  }

  @Test("is as deep as its reader goes")
  func depth() throws {
    let deepest = JSONScanner.deepest
    let message = try SubmissionCodec.encode(event(nested(deepest - 1)))
    #expect(throws: Never.self) { try EventBody.read(message.body) }
    #expect(throws: JobFailure.self) { try SubmissionCodec.encode(event(nested(deepest))) }
    let plan = try SubmissionCodec.encode(step(nested(deepest - 3)))
    #expect(throws: Never.self) { try PlanReader.read(plan.body) }
    #expect(throws: JobFailure.self) { try SubmissionCodec.encode(step(nested(deepest - 2))) }
  }

  private func step(_ payload: [UInt8]) -> PlanSubmission {
    PlanSubmission(
      id: JobID(), department: "init", steps: [PlanStep(name: "a", kind: "k", rank: 1, payload: payload)])
  }
}
