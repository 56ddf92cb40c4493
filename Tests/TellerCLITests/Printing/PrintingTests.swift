import Foundation
import JobModel
import Teller
import Testing

@testable import TellerCLI

@Suite("What is printed")
struct PrintingTests {
  private var table: Table {
    var table = Table("JOB", "STATE")
    table.add("a", "queued")
    table.add("bcd", "failed: no\nmoney\u{1B}[2J")
    return table
  }

  @Test("on a terminal a table is aligned under its header, and no line is wider")
  func aligned() {
    #expect(table.lines(width: 80) == ["JOB  STATE", "a    queued", "bcd  failed: no money⟨U+001B⟩[2J"])
    #expect(table.lines(width: 8).allSatisfy { $0.count <= 8 })
    #expect(table.lines(width: 8)[1] == "a    qu…")
  }

  @Test("a table in portions has one header, and its columns never become narrower")
  func growing() {
    var growing = GrowingTable()
    var short = Table("JOB", "STATE")
    short.add("e", "held")
    #expect(growing.lines(table, width: 80).count == 3)
    #expect(growing.lines(short, width: 80) == ["e    held"])
    #expect(growing.lines(short, width: nil) == ["e\theld"])
  }

  @Test("in a pipe rows have tabs, whole and without a header")
  func piped() {
    #expect(table.lines(width: nil) == ["a\tqueued", "bcd\tfailed: no money⟨U+001B⟩[2J"])
  }

  @Test("what a handler says cannot move the cursor or begin a new line")
  func controlCharacters() {
    let failure = JobFailure(code: "bad", message: "a\u{1B}[2J\r\nb\u{7}c\u{9B}1m\td")
    let job = JobID()
    #expect(
      Failure(JobError.failed(job, failure)).message == "job \(job) failed: bad: a⟨U+001B⟩[2J b⟨U+0007⟩c⟨U+009B⟩1m d")
    #expect("\n\n a\n".onOneLine == " a")
    let keys = ["a b", "a\u{85}b", "a\u{2028}b", "a\u{2029}b", "a\u{B}b", "a\u{C}b", "a b\u{2028}", "a\u{180E}b"]
    #expect(Set(keys.map(\.onOneLine)).count == keys.count, "different keys look different")
    #expect(OutcomeText.line(JobID(), .failed(failure)).hasSuffix(" failed bad: a⟨U+001B⟩[2J b⟨U+0007⟩c⟨U+009B⟩1m d"))
  }

  @Test(
    "what nobody sees, and what turns text round, is shown by its number; letters, marks and the ends of lines stay",
    arguments: [
      ("gpj.\u{202E}exe", "gpj.⟨U+202E⟩exe"), ("acc\u{200B}ount", "acc⟨U+200B⟩ount"), ("a\u{AD}b", "a⟨U+00AD⟩b"),
      ("\u{2066}a\u{2069}", "⟨U+2066⟩a⟨U+2069⟩"), ("\u{E0041}", "⟨U+E0041⟩"), ("\u{3164}", "⟨U+3164⟩"),
      ("a\rb", "a⟨U+000D⟩b"),
      ("\u{1B}]0;x\u{7}", "⟨U+001B⟩]0;x⟨U+0007⟩"), ("größer e\u{301} 中文 🏦\n\tשלום", "größer e\u{301} 中文 🏦\n\tשלום"),
    ])
  func hidden(text: String, shown: String) {
    #expect(text.visible == shown)
  }

  @Test("a line for a terminal keeps our colours, and no other command of a terminal")
  func colors() {
    let line = "\u{1B}[31mfailed\u{1B}[0m a\u{1B}[2Jb\u{9B}31m\u{202E}"
    #expect(VisibleText.besideColors(line) == "\u{1B}[31mfailed\u{1B}[0m a⟨U+001B⟩[2Jb⟨U+009B⟩31m⟨U+202E⟩")
    #expect(VisibleText.besideColors("a b\n\tc") == "a b\n\tc")
  }

  @Test("JSON for a terminal is the same value, with these characters as escapes")
  func hiddenInJSON() throws {
    let text = "a\u{202E}\u{E0041}\u{9B}\u{7F}é"
    let json = try PrintedJSON.text([text]).visibleJSON
    #expect(json == #"["a\u202e\udb40\udc41\u009b\u007fé"]"#)
    #expect(try JSONDecoder().decode([String].self, from: Data(json.utf8)) == [text])
  }

  @Test("a moment is written in full and relative to now")
  func moments() {
    let now = Date(timeIntervalSince1970: 1_000_003)
    #expect(Moments.text(Date(timeIntervalSince1970: 1_000_000.25), now: now) == "1970-01-12T13:46:40.250Z (2.7 s ago)")
    #expect(Moments.text(Date(timeIntervalSince1970: 1_000_005), now: now) == "1970-01-12T13:46:45.000Z (in 2 s)")
  }

  @Test("JSON members are in snake case and in order, and slashes stay")
  func json() throws {
    let totals = SubmissionTotals(submitted: 2, notYetAccepted: 1)
    let text = try PrintedJSON.text(totals)
    #expect(text.hasPrefix(#"{"accepted":0,"bad_lines":0"#))
    #expect(text.contains(#""not_yet_accepted":1"#))
    #expect(try PrintedJSON.text(["a/b"]) == #"["a/b"]"#)
  }

  @Test("an outcome is one line, whatever the result holds")
  func outcomes() throws {
    let id = try #require(JobID("0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11"))
    let line = { OutcomeText.line(id, $0) }
    #expect(line(.succeeded(result: Array("{\n}".utf8), contentType: nil)) == "\(id) succeeded { }")
    #expect(line(.succeeded(result: [], contentType: nil)) == "\(id) succeeded")
    #expect(line(.succeeded(result: [0xFF], contentType: nil)) == "\(id) succeeded base64 /w==")
    #expect(line(.failed(JobFailure(code: "no_money", message: "a\nb"))) == "\(id) failed no_money: a b")
  }
}
