import Foundation
import JobTransport
import Teller
import Testing

@testable import TellerCLI

@Suite("Lines of a batch")
struct BatchLineTests {
  private func submission(_ line: String) throws -> JobSubmission<JSONValue> {
    try BatchLine.submission(Array(line.utf8))
  }

  private func problem(_ line: String) -> String? {
    do {
      _ = try submission(line)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test("every member is read")
  func all() throws {
    let id = JobID()
    let job = try submission(
      #"{"kind":"deposit","department":"till","priority":9,"attempts":1,"rank":7,"id":"\#(id)","payload":{"cents":5}}"#)
    #expect(job.kind == "deposit")
    #expect(job.department == "till")
    #expect(job.priority == 9)
    #expect(job.attempts == 1)
    #expect(job.rank == 7)
    #expect(job.id == id)
    #expect(job.payload == Array(#"{"cents":5}"#.utf8))
    #expect(job.contentType == "application/json")
  }

  @Test("holds, limits and keys are read as the options of the same names")
  func holds() throws {
    let (one, two) = (JobID(), JobID())
    let job = try submission(
      #"{"kind":"letter","at":"2026-03-01T08:00:00+01:00","start_within":"2h","timeout":"30s","#
        + #""after":["\#(one)","\#(two)"],"after_failed":"cancel","key":"A-\u0031","key_window":"90s"}"#)
    #expect(job.runAt?.timeIntervalSince1970 == 1_772_348_400)
    #expect(job.startWithin == .seconds(7_200))
    #expect(job.timeout == .seconds(30))
    #expect(job.after == [one, two])
    #expect(job.afterFailed == .cancel)
    #expect(job.key == "A-1")
    #expect(job.keyWindow == .seconds(90))
    let other = try submission(
      #"{"kind":"letter","delay":"5m","start_by":"2026-03-01T08:00:00Z","after":"\#(one)"}"#)
    #expect(other.delay == .seconds(300))
    #expect(other.startBy?.timeIntervalSince1970 == 1_772_352_000)
    #expect(other.after == [one])
    #expect(other.afterFailed == .fail)
  }

  @Test("only the kind is needed; without a payload there is no content type")
  func least() throws {
    let job = try submission(#" { "kind" : "noop" } "#)
    #expect(job.payload.isEmpty)
    #expect(job.contentType == nil)
    #expect(job.priority == .normal)
    #expect(job.department == nil)
  }

  @Test("the payload keeps its bytes: large numbers, order of members, brackets in texts")
  func payloadBytes() throws {
    let payload = #"{"z": 12345678901234567890.10, "a": ["]}\"", {"x": null}]}"#
    #expect(try submission(#"{"payload": \#(payload), "kind": "noop"}"#).payload == Array(payload.utf8))
    #expect(try submission(#"{"payload": 7, "kind": "noop"}"#).payload == Array("7".utf8))
  }

  @Test(
    "what is wrong is named",
    arguments: [
      (#"{}"#, "\"kind\" is missing"),
      (#"{"kind":"a b"}"#, "\"kind\""),
      (#"{"kind":"noop","colour":"red"}"#, "unknown member \"colour\""),
      (#"{"kind":"noop","priority":10}"#, "0 to 9"),
      (#"{"kind":"noop","priority":true}"#, "0 to 9"),
      (#"{"kind":"noop","priority":"4"}"#, "0 to 9"),
      (#"{"kind":"noop","attempts":0}"#, "1 to 100"),
      (#"{"kind":"noop","id":"7"}"#, "UUID"),
      (#"{"kind":"noop","prioriy":4}"#, "did you mean \"priority\"?"),
      (#"{"kind":"noop","delay":5}"#, "a duration"),
      (#"{"kind":"noop","at":"2026-03-01"}"#, "a moment"),
      (#"{"kind":"noop","delay":"5s","at":"2030-03-01T08:00:00Z"}"#, "twice"),
      (#"{"kind":"noop","after":["7"]}"#, "list of UUIDs"),
      (#"{"kind":"noop","after":[7]}"#, "list of UUIDs"),
      (#"{"kind":"noop","after_failed":"fail"}"#, "without \"after\""),
      (#"{"kind":"noop","key":""}"#, "1–200 bytes"),
      (#"{"kind":"noop","key_window":"5s"}"#, "no key"),
      (#"{"kind":"noop","timeout":"200h"}"#, "a week"),
      (#"{"kind":"noop","payload":{x}}"#, "a member's name is missing"),
      (#"{"kind":"noop","payload":}"#, "no value"),
      (#"{"kind":"noop","kind":"noop"}"#, "twice"),
      (#"{"kind":"noop"} x"#, "more follows its end"),
      (#"{"kind":"noop""#, "is missing, at byte 14"),
      (#"{"kind":"noop"#, "a text without an end"),
      (#"{"kind":"noop","payload":[1"#, "is missing, at byte 27"),
      (#"{"kind":"noop","payload":"\ud800"}"#, "half a character"),
      (#"{"kind":"noop","payload":"# + String(repeating: "[", count: 513), "more than 512 levels"),
      (#"["kind"]"#, "JSON object"),
      ("hello", "JSON object"),
      (#"{"kind":"noop\"#, "a text without an end"),
    ])
  func problems(line: String, expected: String) throws {
    let problem = try #require(self.problem(line))
    #expect(problem.contains(expected))
    #expect(!problem.contains("\n"))
  }

  @Test("a payload over the limit is refused with both sizes")
  func tooLarge() throws {
    let text = String(repeating: "x", count: SubmissionCodec.defaultBodyLimit)
    let problem = try #require(self.problem(#"{"kind":"noop","payload":"\#(text)"}"#))
    #expect(problem.contains(String(SubmissionCodec.defaultBodyLimit)))
  }
}
