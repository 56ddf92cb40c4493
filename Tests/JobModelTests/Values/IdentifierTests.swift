import Foundation
import Testing
import TestSupport

@testable import JobModel

@Suite("Identifiers")
struct IdentifierTests {
  @Test("a step's id is the UUIDv5 of RFC 9562, appendix A.4")
  func version5() throws {
    let names = try #require(JobID("6ba7b810-9dad-11d1-80b4-00c04fd430c8"))
    #expect(JobID(plan: names, step: "www.example.com").description == "2ed6657d-e927-568b-95e1-2665a8aea6a2")
  }

  @Test("the same plan and step have the same id, others have others")
  func stepIDs() {
    let (plan, other) = (JobID(), JobID())
    #expect(JobID(plan: plan, step: "login") == JobID(plan: plan, step: "login"))
    #expect(JobID(plan: plan, step: "login") != JobID(plan: plan, step: "Login"))
    #expect(JobID(plan: plan, step: "login") != JobID(plan: other, step: "login"))
  }

  @Test("an id of version 7 carries its time as RFC 9562, appendix A.6, has it")
  func version7() {
    var random = SeededRandom(seed: 1)
    let id = JobID(version7: Timestamp(milliseconds: 0x017F_22E2_79B0), using: &random).description
    #expect(id.hasPrefix("017f22e2-79b0-7"))
    #expect("89ab".contains(id[id.index(id.startIndex, offsetBy: 19)]))
  }

  @Test("ids of version 7 sort by time and differ within a millisecond")
  func version7Order() {
    var random = SeededRandom(for: "ids of version 7")
    var last = ""
    for step in 0..<500 {
      let time = Timestamp(milliseconds: 1_700_000_000_000 + Int64(step))
      let pair = (0..<2).map { _ in JobID(version7: time, using: &random).description }
      #expect(pair[0] != pair[1])
      #expect(pair.allSatisfy { last < $0 })
      last = pair.max() ?? last
    }
  }

  @Test("an id is read in either case, and written in lower case")
  func text() throws {
    let id = try #require(JobID("2ED6657D-E927-568B-95E1-2665A8AEA6A2"))
    #expect(id.description == "2ed6657d-e927-568b-95e1-2665a8aea6a2")
    #expect(JobID(id.description) == id)
    #expect(JobID("not-a-uuid") == nil)
    let coded = try JSONDecoder().decode([JobID].self, from: JSONEncoder().encode([id]))
    #expect(coded == [id])
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([JobID].self, from: Data(#"["x"]"#.utf8)) }
  }
}

@Suite("Names and priorities")
struct NameTests {
  @Test("letters, digits, hyphen and underscore make a name", arguments: ["a", "Send-Mail_2", "0", "_", "-"])
  func valid(_ name: String) {
    #expect(JobKind(name)?.name == name)
    #expect(Department(name)?.name == name)
  }

  @Test("anything else makes none", arguments: ["", "a.b", "a b", "ü", "a\u{0}", "a/b", "#", "*", "é"])
  func invalid(_ name: String) {
    #expect(JobKind(name) == nil)
    #expect(Department(name) == nil)
  }

  @Test("a name has at most 100 bytes")
  func length() {
    #expect(JobKind(String(repeating: "a", count: 100)) != nil)
    #expect(JobKind(String(repeating: "a", count: 101)) == nil)
  }

  @Test("a part of a text is a name by the same rule, and every byte counts")
  func parts() {
    let text = "[Send-Mail_2]\u{E9}"
    #expect(JobKind(text.dropFirst().dropLast(2))?.name == "Send-Mail_2")
    #expect(Department(text.dropFirst().dropLast(2))?.name == "Send-Mail_2")
    for part in [text.prefix(3), text.dropFirst(12), text.dropFirst(13), text.prefix(0)] {
      #expect(JobKind(part) == nil && Department(part) == nil)
    }
    let good = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_".utf8)
    for byte in UInt8.min...127 {
      let name = "a\(Unicode.Scalar(byte))b"
      #expect((JobKind(name) != nil) == good.contains(byte), "\(byte)")
      #expect((Department(name) != nil) == good.contains(byte), "\(byte)")
    }
  }

  @Test("a name that is decoded is checked too")
  func decoded() throws {
    #expect(try JSONDecoder().decode([JobKind].self, from: Data(#"["ok"]"#.utf8)) == ["ok"])
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([JobKind].self, from: Data(#"["a.b"]"#.utf8)) }
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([Department].self, from: Data(#"[""]"#.utf8)) }
  }

  @Test("a priority is between 0 and 9, and 4 when nobody says")
  func priority() throws {
    #expect(Priority.normal.level == 4)
    #expect((-1...10).compactMap { Priority($0)?.level } == Array(0...9))
    #expect(Priority.normal > 0)
    #expect(Priority.normal < 9)
    #expect(try JSONDecoder().decode([Priority].self, from: Data("[9]".utf8)) == [9])
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([Priority].self, from: Data("[10]".utf8)) }
  }

  @Test("a failure's code and message are cut to their limits")
  func failure() {
    let failure = JobFailure(code: String(repeating: "c", count: 100), message: String(repeating: "m", count: 3_000))
    #expect(failure.code.count == JobFailure.longestCode)
    #expect(failure.message.count == JobFailure.longestMessage)
  }

  @Test("a submitter is answered only in queues made for replies")
  func replyTo() {
    #expect(ReplyAddress.isAllowed("teller.reply.5"))
    #expect(!ReplyAddress.isAllowed("teller.reports"))
    #expect(!ReplyAddress.isAllowed("teller.replyx"))
    #expect(!ReplyAddress.isAllowed(""))
  }

  @Test("a direct reply goes only to a name that has the form of those the broker makes")
  func directReplyTo() {
    // As RabbitMQ 3.10 and 4 make them.
    let made = ("g1h2AA5yZXBseUA4MTk1OTIwNAAAArwAAAAAawFnEg==", "BiUW0ud9wQ8DbUFBGmWwmA==")
    let isAllowed = { (name: String) in ReplyAddress.isAllowed("amq.rabbitmq.reply-to.\(name)") }
    #expect(isAllowed("\(made.0).\(made.1)"))
    #expect(!ReplyAddress.isAllowed("amq.rabbitmq.reply-to"))
    for wrong in ["", ".", "g1h2.forged", "\(made.0)", "\(made.0).", "!!!.\(made.1)", ".\(made.1)"] {
      #expect(!isAllowed(wrong), "\(wrong)")
    }
    // An atom, an id on a node of another name, one that is cut, one with something behind it.
    let id = Data(base64Encoded: made.0) ?? Data()
    let other = id.prefix(5) + Data("rabby".utf8) + id.dropFirst(10)
    for wrong in [Data([131, 119, 1, 97]), other, id.dropLast(), id + [0], id.prefix(4)] {
      #expect(!isAllowed("\(wrong.base64EncodedString()).\(made.1)"), "\(Array(wrong))")
    }
  }
}
