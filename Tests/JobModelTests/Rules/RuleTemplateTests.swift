import Testing

@testable import JobModel

@Suite("Templates of rules")
struct RuleTemplateTests {
  private func meaning(_ reference: RuleReference) throws -> JSONText? {
    let payload = #"{"id": 1.10, "of": ["a\/b", null], "o": { "z":1e400 , "z":2 }, "big": 18446744073709551615}"#
    return switch reference {
    case .member(.message): JSONText("no \"money\"\n")
    case .member(.attempt): JSONText(3)
    case .payload(let path): try JSONText(Array(payload.utf8)).member(at: path)
    default: nil
    }
  }

  private func filled(_ json: String) throws -> String {
    String(decoding: try RuleTemplate(json: json).filled(meaning), as: UTF8.self)
  }

  @Test(
    "a text that is one reference becomes the value as it is written; within a text it is written as text",
    arguments: [
      (#""${attempt}""#, "3"), (#""${key?}""#, "null"), (#""attempt ${attempt}""#, #""attempt 3""#),
      (#"{"text": "login: ${message}${key?}"}"#, #"{"text": "login: no \"money\"\n"}"#),
      (
        #"["${payload.id}", "${payload.of.0}", "${payload.none.x?}", 4.50, true, null]"#,
        #"[1.10, "a\/b", null, 4.50, true, null]"#
      ),
      (#"{"n":"${payload.big}"}"#, #"{"n":18446744073709551615}"#), (#""${payload.of.1}""#, "null"),
      (#""n ${payload.id} ${payload.of.1}""#, #""n 1.10 null""#),
      (#""${payload.o}""#, #"{ "z":1e400 , "z":2 }"#), (#""all: ${payload.o}""#, #""all: { \"z\":1e400 , \"z\":2 }""#),
      (#""""#, #""""#), (#""costs $5 or $${attempt}""#, #""costs $5 or ${attempt}""#),
      (#""$$${attempt}""#, #""$${attempt}""#), (#"{"b": "\u0041", "b": 1, "a":2}"#, #"{"b": "\u0041", "b": 1, "a":2}"#),
      (#"{"${attempt}": 1}"#, #"{"${attempt}": 1}"#), ("\"${attempt}\u{301}\"", "\"3\u{301}\""),
    ])
  func filledIn(_ template: String, _ value: String) throws {
    #expect(try filled(template).isExactly(value))
  }

  @Test(
    "what a reference names must be there",
    arguments: [#""${key}""#, #""a ${payload.none}""#, #"[{"a": "${payload.of.2}"}]"#, #""${payload.id.x}""#])
  func unresolved(_ template: String) throws {
    #expect(throws: RuleTemplate.Unresolved.self) { try filled(template) }
    #expect(throws: RuleTemplate.Unresolved.self) { try RuleTemplate(json: template).filledText(meaning) }
  }

  @Test(
    "as a text a template is what stands between the quotes; a reference alone that may be missing is nothing",
    arguments: [
      (#""mail-${payload.id}""#, "mail-1.10"), (#""mail-${payload.big}""#, "mail-18446744073709551615"),
      (#""${payload.of.0}""#, "a/b"), (#""${key?}""#, ""), (#""k${key?}""#, "k"), (#""${message}""#, "no \"money\"\n"),
      ("5", "5"), (#""\u0041""#, "A"),
    ])
  func asText(_ template: String, _ text: String) throws {
    #expect(try RuleTemplate(json: template).filledText(meaning) == text)
  }

  @Test(
    "what is no reference is refused, and told with what there is",
    arguments: [
      (#""${mesage}""#, "there is no ${mesage}"), (#""${payload..x}""#, "there is no ${payload..x}"),
      (#""${}""#, "there is no ${}"), (#""a ${message""#, "does not end with }"), ("text", "no JSON"),
      (#""${mesage?}""#, "there is no ${mesage?}"),
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
