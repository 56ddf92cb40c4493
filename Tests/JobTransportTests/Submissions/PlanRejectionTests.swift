import AMQP
import JobModel
import JobTransport
import Testing

@Suite struct PlanRejectionTests {
  private func decode(
    _ text: String, contentType: String = "application/vnd.teller.plan+json", headers: FieldTable = [:]
  ) -> IncomingSubmission {
    let properties = MessageProperties(
      contentType: contentType, headers: headers, messageID: "01890a5d-ac96-774b-bcce-b302099a8057")
    return SubmissionCodec.decode(Deliveries.make(properties, .bytes(Array(text.utf8))))
  }

  private func failure(_ text: String, headers: FieldTable = [:]) -> JobFailure? {
    guard case .rejected(let rejection) = decode(text, headers: headers) else { return nil }
    return rejection.failure
  }

  private static let good = #"{"department":"init","steps":[{"name":"a","kind":"k","rank":1}]}"#

  @Test(
    "a broken plan is refused with what is wrong and where",
    arguments: [
      ("", "not JSON"), ("{", "not JSON"), ("[]", "object"), ("{}", "\"department\" is missing"),
      (#"{"department":"a.b","steps":[]}"#, "at department"),
      (#"{"department":"init","steps":[]}"#, "at least one step"),
      (#"{"department":"init","steps":[{"name":"a","kind":"k"}]}"#, "\"rank\" is missing at steps[0]"),
      (#"{"department":"init","steps":[{"name":"a","kind":"k","rank":"1"}]}"#, "not a whole number at steps[0].rank"),
      (#"{"department":"init","steps":[{"name":"a","kind":"k","rank":0}]}"#, "rank 0"),
      (#"{"department":"init","steps":[{"name":"","kind":"k","rank":1}]}"#, "name"),
      (#"{"department":"init","steps":[{"name":"a","kind":"k","rank":1,"optional":true}]}"#, "\"optional\""),
      (#"{"department":"init","gates":["x"],"steps":[]}"#, "\"gates\""),
    ])
  func broken(text: String, expected: String) {
    let failure = failure(text)
    #expect(failure?.code == "bad_plan")
    #expect(failure?.message.contains(expected) == true, "\(failure?.message ?? "accepted")")
  }

  @Test("a plan that nests without end is refused and harms nothing")
  func nesting() {
    let deep = String(repeating: "[", count: 100_000)
    let payload = #"{"department":"init","steps":[{"name":"a","kind":"k","rank":1,"payload":"# + deep
    #expect(failure(payload)?.code == "bad_plan")
    #expect(failure(deep)?.code == "bad_plan")
  }

  @Test("a plan may not have a job's headers, nor another department in its header")
  func headers() {
    #expect(failure(Self.good, headers: ["teller-rank": 1])?.code == "not_supported")
    #expect(failure(Self.good, headers: ["teller-attempts": 1])?.code == "not_supported")
    #expect(failure(Self.good, headers: ["teller-delay-ms": 1])?.code == "not_supported")
    #expect(failure(Self.good, headers: ["teller-after": "x"])?.code == "not_supported")
    #expect(failure(Self.good, headers: ["teller-key": "x"])?.code == "not_supported")
    #expect(failure(Self.good, headers: ["teller-department": "other"])?.code == "bad_plan")
    #expect(failure(Self.good, headers: ["teller-department": "init"]) == nil)
  }

  @Test("the content type tells a plan whatever its case and parameters")
  func contentTypes() {
    for type in ["Application/VND.teller.plan+JSON", "application/vnd.teller.plan+json; charset=utf-8"] {
      guard case .plan = decode(Self.good, contentType: type) else {
        Issue.record("\(type) was not taken for a plan")
        continue
      }
    }
    guard case .rejected(let rejection) = decode(Self.good, contentType: "application/json") else {
      Issue.record("JSON of another content type was taken for a plan")
      return
    }
    #expect(rejection.failure.code == "missing_kind")
  }

  @Test("a plan that would be refused is not even encoded")
  func encoding() {
    let id = JobID()
    #expect(throws: JobFailure.self) {
      try SubmissionCodec.encode(PlanSubmission(id: id, department: "init", steps: []))
    }
    #expect(throws: JobFailure.self) { try PlanStep(name: "a", kind: "k", rank: 1, value: .double(.infinity)) }
  }
}
