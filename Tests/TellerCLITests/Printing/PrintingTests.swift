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
    #expect(table.lines(width: 80) == ["JOB  STATE", "a    queued", "bcd  failed: no money [2J"])
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
    #expect(table.lines(width: nil) == ["a\tqueued", "bcd\tfailed: no money [2J"])
  }

  @Test("what a handler says cannot move the cursor or begin a new line")
  func controlCharacters() {
    let failure = JobFailure(code: "bad", message: "a\u{1B}[2J\r\nb\u{7}c\u{9B}1m\td")
    let job = JobID()
    #expect(Failure(JobError.failed(job, failure)).message == "job \(job) failed: bad: a [2J b c 1m d")
    #expect("\n\n a\n".onOneLine == " a")
    #expect(OutcomeText.line(JobID(), .failed(failure)).hasSuffix(" failed bad: a [2J b c 1m d"))
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
