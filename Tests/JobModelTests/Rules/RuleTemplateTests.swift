import JobModel
import Testing

@Suite("Templates of rules")
struct RuleTemplateTests {
  private func meaning(_ reference: RuleReference) -> JSONValue {
    switch reference {
    case .member(.message): .string("no \"money\"")
    case .member(.attempt): .int(3)
    case .member(.key): .null
    case .payload(let path): JSONValue.object(["id": .int(7), "of": .array([.string("a")])]).member(at: path)
    default: .null
    }
  }

  private func filled(_ json: String) throws -> String { try RuleTemplate(json: json).filled(meaning).json }

  @Test(
    "a text that is one reference becomes the value; within a text it is written as text",
    arguments: [
      (#""${attempt}""#, "3"), (#""${key}""#, "null"), (#""attempt ${attempt}""#, #""attempt 3""#),
      (#"{"text": "login: ${message}${key}"}"#, #"{"text":"login: no \"money\""}"#),
      (#"["${payload.id}", "${payload.of.0}", "${payload.none.x}", 4.5, true, null]"#, #"[7,"a",null,4.5,true,null]"#),
      (#""${payload}""#, #"{"id":7,"of":["a"]}"#), (#""all: ${payload}""#, #""all: {\"id\":7,\"of\":[\"a\"]}""#),
      (#""""#, #""""#), (#""costs $5 or $${attempt}""#, #""costs $5 or ${attempt}""#),
      (#""$$${attempt}""#, #""$${attempt}""#),
      (#"{"${attempt}": 1}"#, #"{"${attempt}":1}"#),
    ])
  func filledIn(_ template: String, _ value: String) throws {
    #expect(try filled(template) == value)
  }

  @Test(
    "what is no reference is refused, and told with what there is",
    arguments: [
      (#""${mesage}""#, "there is no ${mesage}"), (#""${payload..x}""#, "there is no ${payload..x}"),
      (#""${}""#, "there is no ${}"), (#""a ${message""#, "does not end with }"), ("text", "no JSON"),
      (#"[{"deep": "${secret}"}]"#, "there are notification, event"),
    ])
  func refused(_ template: String, _ words: String) throws {
    let problem = try #require(throws: RuleTemplate.Problem.self) { try RuleTemplate(json: template) }
    #expect(problem.description.contains(words))
  }

  @Test("a text without references is constant")
  func constant() throws {
    #expect(try RuleTemplate(json: #""a $${x}""#).constantText == "a ${x}")
    #expect(try RuleTemplate(json: #""a ${job}""#).constantText == nil)
  }

  @Test("the id of a rule's job follows from the ledger, the notification and the rule, and never changes")
  func ids() {
    let ledger = LedgerID("01890a5d-ac96-774b-bcce-b302099a8057")
    let place = NotificationPosition(epoch: 1, seq: 42)
    let id = JobID(rule: "alert", of: place, in: ledger)
    #expect(id.description == "e2b24c18-5823-5e8d-9498-9427f33df82d")
    #expect(id != JobID(rule: "other", of: place, in: ledger))
    #expect(id != JobID(rule: "alert", of: NotificationPosition(epoch: 2, seq: 42), in: ledger))
    #expect(id != JobID(rule: "alert", of: place, in: LedgerID()))
  }
}
