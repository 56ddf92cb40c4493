import Foundation
import JobModel
import Teller
import Testing

@testable import TellerPage

@Suite("Parameters of an address")
struct QueryTests {
  @Test("are read by name, decoded, and none is passed over")
  func read() throws {
    var query = try Query("a=1&b=x+y%2B%26&c&d=")
    #expect(try query.text("a") == "1")
    #expect(try query.text("b") == "x y+&")
    #expect(try query.text("c") == nil)
    #expect(throws: PageProblem.invalid("there is no parameter \"d\" at this address")) { try query.end() }
    #expect(try query.text("d") == nil)
    try query.end()
    #expect(try query.text("e") == nil)
  }

  @Test("wrong ones are refused in words")
  func wrong() throws {
    #expect(throws: PageProblem.self) { try Query("a=%zz") }
    #expect(throws: PageProblem.self) { try Query((0..<65).map { "a\($0)=1" }.joined(separator: "&")) }
    func refuses<Value>(_ text: String, _ read: (inout Query) throws -> Value) throws {
      var query = try Query(text)
      #expect(throws: PageProblem.self, "\(text)") { _ = try read(&query) }
    }
    try refuses("department=a&department=b") { try $0.department() }
    try refuses("department=a%20b") { try $0.department() }
    try refuses("limit=x") { try $0.limit(1) }
    try refuses("unsettled=yes") { try $0.flag("unsettled") }
    try refuses("state=lost") { try $0.word("state", JobState.self) }
    try refuses("plan=7") { try $0.job("plan") }
    try refuses((0..<17).map { "department=d\($0)" }.joined(separator: "&")) { try $0.departments(atMost: 16) }
  }

  @Test("a list of jobs is asked for by all its filters")
  func jobs() throws {
    let plan = JobID()
    var query = try Query(
      "department=d&state=failed&kind=k&key=x&error=e&plan=\(plan)&unsettled=true&since_ms=1000&until_ms=2000&before=9"
        + "&limit=5")
    let questions = Questions(client: PageStage.idleClient, settings: PageStage.settings)
    let expected = JobQuery(
      department: "d", state: .failed, kind: "k", since: Date(timeIntervalSince1970: 1),
      until: Date(timeIntervalSince1970: 2), error: "e", key: "x", plan: plan, limit: 5, before: 9, onlyUnsettled: true)
    #expect(try questions.jobs(&query) == expected)
  }

  @Test("a key's place is its kind and the key, which may have slashes")
  func keys() {
    #expect(JobKey(written: "invoice/2026/A") == JobKey(kind: "invoice", key: "2026/A"))
    #expect(JobKey(written: #"{"key":"a/b","kind":"invoice"}"#) == JobKey(kind: "invoice", key: "a/b"))
    for text in ["invoice", "invoice/", "/x", "", "{}", #"{"key":"a"}"#] { #expect(JobKey(written: text) == nil) }
  }
}
