import Testing

@testable import CoordinatorSettings

@Suite("A key that stands more than once in teller.yaml")
struct DuplicateKeysTests {
  private func lines(_ yaml: String) -> [String] {
    mistakes(in: yaml).first.map { "\($0.line ?? 0): \($0.problem)" }
  }

  @Test("hides no other mistake, and what each of its blocks says is known")
  func others() {
    let found = lines(
      """
      ledger: x
      lease: 1s
      departments:
        loan: {cap: 0}
      ledger: y
      departments:
        deposit: {}
        deposit: {cap: 3}
      kinds: {a: {department: loan}, b: {department: deposit}, größe: {}, "b": {attempts: 0}}
      users: {teller: {role: nobody}}
      """)
    #expect(
      found == [
        #"2: "lease": 1s is not between 5s and 24h"#,
        #"4: "cap": 0 is not between 1 and 1000000"#,
        #"5: the key "ledger" stands here twice: first on line 1"#,
        #"6: the key "departments" stands here twice: first on line 3"#,
        #"8: the key "deposit" stands here twice: first on line 7"#,
        #"9: the key "b" stands here twice: first on line 9"#,
        #"9: "größe" is not a name: 1–100 letters, digits, - and _"#,
        #"9: "attempts": 0 is not between 1 and 100"#,
        #"10: "role": "nobody" is no role; there are: worker, submitting-worker, producer, operator, monitor"#,
      ])
  }

  @Test("is a mistake on each line but the first")
  func threeTimes() {
    let twice = #"the key "ledger" stands here twice: first on line 1"#
    #expect(lines("ledger: a\nledger: b\nlease: 45s\nledger: c\n") == ["2: \(twice)", "4: \(twice)"])
    // Any end of a line, and any letters before it.
    #expect(
      lines("größe: 1\r\nledger: a\rledger: b\r\n").last == #"3: the key "ledger" stands here twice: first on line 2"#)
    #expect(lines("{größe: 1, 'ledger': a, ledger: b}").contains("1: " + twice))
  }

  @Test("is one mistake in a payload, where no key is known")
  func payload() {
    let schedule = "  s: {cron: '@daily', kind: a, payload: {x: 1, y: [{z: 1,\n    z: 2}]}}"
    #expect(lines("departments: {a: }\nschedules:\n" + schedule) == [#"4: "payload" has the key "z" twice"#])
  }

  @Test("is told beside the text that is no YAML")
  func noYAML() {
    let found = lines("\ndepartments: {a: , a: }\nhealth: 'x\n")
    #expect(found.count == 2, "\(found)")
    #expect(found.first == #"2: the key "a" stands here and again further below"#)
    #expect(found.last?.contains("this is no YAML") == true)
  }

  @Test("is told where it cannot be marked; it ends the reading then, and so does a great number of them")
  func unmarked() {
    let found = lines("!!str ledger: a\nledger: b\nlease: 1s\n")
    #expect(found == [#"1: the key "ledger" stands here and again further below"#])
    let many = (1...30).map { "k\($0): 1\nk\($0): 2\n" }.joined()
    #expect(mistakes(in: many).count == DuplicateKeys.limit + 1)
  }

  @Test("is found in a file that its aliases make huge")
  func aliases() {
    let tens = (1...30).map { level in
      "a\(level): &a\(level) [" + (1...10).map { _ in "*a\(level - 1)" }.joined(separator: ", ") + "]\n"
    }
    let found = mistakes(in: "a0: &a0 x\n" + tens.joined() + "ledger: a\nledger: b\n")
    #expect(found.count == 32 && found.first.last?.problem.contains("twice") == true)
  }

  @Test("is not shown when it looks like a URL")
  func secret() {
    let found = lines("\"amqp://teller:secret@rabbit/\": 1\n\"amqp://teller:secret@rabbit/\": 2\n")
    #expect(found.count == 2 && !found.joined().contains("secret"), "\(found)")
    #expect(found.contains("2: the key something else stands here twice: first on line 1"))
  }
}
