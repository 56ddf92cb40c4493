import Decisions
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

/// What a rule takes out of a payload is the bytes that its producer wrote, or nothing at all.
@Suite("Rules carry bytes")
struct RuleBytesTests {
  private func books(key: String? = nil, payload: String? = nil, of event: String = "succeeded") async throws -> Books {
    let books = try await Books()
    let (key, payload) = (try key.map { try RuleTemplate(json: $0) }, try payload.map { try RuleTemplate(json: $0) })
    try await books.takeOver {
      $0.rules = [
        Rule(
          "mail", on: EventFilter(events: [event], kinds: ["deposit"]),
          submit: RuleJob("loan", payload: payload, key: key))
      ]
    }
    return books
  }

  /// The payloads and the keys of jobs that the rule has made, and its failures.
  private struct Made {
    var (payloads, keys, failures) = ([[UInt8]](), [String](), [JobFailure]())
  }

  /// A deposit with that payload and that result ends.
  private func end(_ payload: [UInt8], result: [UInt8] = [], _ books: Books) async throws -> Made {
    let job = try await books.release(Submission(id: JobID(), kind: "deposit", payload: payload))
    try await books.record(books.report(job, .succeeded(result: result, contentType: nil)))
    return try await made(books)
  }

  private func made(_ books: Books) async throws -> Made {
    var made = Made()
    for assignment in try await books.told().assignments where assignment.kind == "loan" {
      let job = try #require(try await books.job(assignment.job))
      made.payloads.append(assignment.content.payload)
      if let key = job.key { made.keys.append(key) }
    }
    if let batch = try await books.bookkeeper.nextNotifications(atMost: 1_000) {
      await books.bookkeeper.sent(batch)
      made.failures = batch.notifications.filter { $0.event == "rule_failed" }.compactMap(\.error)
    }
    return made
  }

  @Test("four orders that differ in their bytes are four mails: also above 2^53, and 1.10 beside 1.1")
  func orders() async throws {
    let books = try await books(key: #""mail-${payload.order}""#, payload: #"{"order":"${payload.order}"}"#)
    let orders = ["18446744073709551614", "18446744073709551615", "1.10", "1.1"]
    for order in orders {
      let made = try await end(Array(#"{"order": \#(order) }"#.utf8), books)
      #expect(made.keys == ["mail-\(order)"] && made.failures.isEmpty)
      #expect(made.payloads == [Array(#"{"order":\#(order)}"#.utf8)])
    }
  }

  @Test("names that Unicode takes for one are two keys, in memory as in the ledger")
  func names() async throws {
    let books = try await books(key: #""${payload.name}""#)
    var keys: [[UInt8]] = []
    for name in ["\u{E9}", "e\u{301}", "\\u00e9"] {
      keys += try await end(Array(#"{"name":"\#(name)"}"#.utf8), books).keys.map { Array($0.utf8) }
    }
    #expect(keys == [[0xC3, 0xA9], [0x65, 0xCC, 0x81]], "the third is the first")
  }

  /// Payloads that a handler may take, and that have no order for a rule.
  private static let unreadable: [[UInt8]] = [
    Array(#"{"order":1,"name":"\ud800"}"#.utf8), Array("{\"order\":1,\"name\":\"a\tb\"}".utf8),
    Array("{\"order\":1,\"name\":\"a\0b\"}".utf8), Array(#"{"order":1,"name":""#.utf8) + [0xFF] + Array(#""}"#.utf8),
    Array((String(repeating: "[", count: 600) + String(repeating: "]", count: 600)).utf8), Array("no JSON".utf8), [],
    Array(#"{"order":1,"order":2}"#.utf8), Array(#"{"orders":1}"#.utf8), Array(#"{"order":null}"#.utf8),
    Array("{\"order\":1} x".utf8),
  ]

  @Test("what cannot be read, or is not there, is rule_failed with its name, and no key is made of null")
  func unreadable() async throws {
    let books = try await books(key: #""mail-${payload.order}""#)
    for payload in Self.unreadable {
      let made = try await end(payload, books)
      let text = String(decoding: payload.prefix(40), as: UTF8.self)
      #expect(made.keys.isEmpty && made.payloads.isEmpty, "\(text)")
      #expect(made.failures.map(\.code) == ["rule_reference"], "\(text)")
      #expect(made.failures.first?.message.contains("${payload.order}") == true, "\(made.failures)")
    }
  }

  @Test("results and the event's own members are the same: exact, or rule_failed; with ? they may be missing")
  func others() async throws {
    let books = try await books(
      key: #""${result.id}${key?}""#,
      payload: #"{"r":"${result}","m":"${message?}","t":"of ${result.id}, ${message?}","n":"${payload.none?}"}"#)
    let result = #"{"id": 9007199254740993, "z":1, "a":[ 1.0 ],"z":2}"#
    let first = try await end(Array("{}".utf8), result: Array(result.utf8), books)
    #expect(first.keys == ["9007199254740993"])
    let text = first.payloads.map { String(decoding: $0, as: UTF8.self) }
    #expect(text == [#"{"r":\#(result),"m":null,"t":"of 9007199254740993, ","n":null}"#])
    let second = try await end(Array("{}".utf8), result: Array("{}".utf8), books)
    #expect(second.failures.first?.message.contains("${result.id}") == true)
    let strict = try await self.books(payload: #"["${message}"]"#)
    #expect(try await end([], strict).failures.first?.message.contains("${message} is not there") == true)
  }

  @Test("a payload that would lie too deep within the template is refused: its reader would refuse it")
  func deep() async throws {
    let books = try await books(payload: #"{"of":["${payload}"]}"#)
    let nested = { (levels: Int) in
      Array((String(repeating: "[", count: levels) + String(repeating: "]", count: levels)).utf8)
    }
    #expect(try await end(nested(JSONScanner.deepest - 2), books).payloads.count == 1)
    let tooDeep = try await end(nested(JSONScanner.deepest - 1), books)
    #expect(tooDeep.failures.first?.message.contains("more than 512 levels") == true)
  }

  @Test("the whole notification has its code, its key and its message as they came")
  func whole() async throws {
    let books = try await books(payload: #""${notification}""#, of: "failed")
    let failing = try await books.release(
      Submission(id: JobID(), kind: "deposit", key: SubmissionKey(text: "e\u{301}\"\\/")))
    let failure = JobFailure(code: "e\u{301}", message: "\u{E9}\n\u{1}")
    try await books.record(books.report(failing, .failed(failure, isPermanent: true)))
    let json = try JSONText(try #require(try await made(books).payloads.first))
    #expect(try json.member(at: ["key"])?.text?.isExactly("e\u{301}\"\\/") == true)
    #expect(try json.member(at: ["error", "error"])?.text?.isExactly("e\u{301}") == true)
    #expect(try json.member(at: ["error", "message"])?.text?.isExactly("\u{E9}\n\u{1}") == true)
    #expect(try json.member(at: ["epoch"]) == JSONText(1))
  }

  @Test("the job of a schedule has the payload as the file has it")
  func schedule() async throws {
    let payload = Array(#"{"z":1.10,"a":18446744073709551615}"#.utf8)
    let schedule = try #require(
      CronSchedule(
        name: "minutely", expression: try CronExpression("* * * * *"), timeZone: .utc, kind: "deposit",
        payload: try JSONText(payload)))
    let books = try await Books(schedules: [schedule])
    let start = Timestamp(milliseconds: 1_800_000_000_000)
    try await books.bookkeeper.fireSchedules(at: start)
    try await books.bookkeeper.fireSchedules(at: start + .seconds(61))
    #expect(try await books.told().assignments.map(\.content.payload) == [payload])
  }
}
