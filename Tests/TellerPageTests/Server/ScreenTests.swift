import Foundation
import HostingSupport
import JobModel
import Synchronization
import Teller
import TestSupport
import Testing

@testable import TellerPage

@Suite("A screen of a program's own", .timeLimit(.minutes(10)))
struct ScreenTests {
  private struct Order: Decodable { var customers: Int }
  private struct Added: Encodable, Sendable {
    var addedCustomers: Int
    var job: JobID
    var by: String
  }

  private func screen(_ calls: SharedCount) -> PageScreen {
    var screen = PageScreen(
      path: "bank", title: "Bank", script: Array("import { Day } from './day.js';".utf8), style: Array("a {}".utf8),
      modules: ["day.js": Array("export class Day {}".utf8)])
    screen.answer("day") { question in ["day": question.parameter("number") ?? "none"] }
    screen.answer("closed") { _ in throw PageRefusal(code: "closed", message: "the bank is closed; come tomorrow") }
    screen.carryOut("add") { action in
      calls.add()
      let order = try action.body(as: Order.self)
      return Added(addedCustomers: order.customers, job: action.id("0"), by: action.person.name)
    }
    return screen
  }

  @Test("is listed in the document, has its files, answers its questions, and refuses in its own words")
  func questions() async throws {
    try await PageStage.serving(screens: [screen(SharedCount())]) { browser in
      let page = try await browser.get("/bank")
      #expect(page.status == 200 && page.body.contains("&quot;path&quot;:&quot;bank&quot;"), "\(page)")
      let script = String(try #require(page.body.firstMatch(of: /\/assets\/\w+\/bank\.js/)?.output))
      #expect(try await browser.get(script).body == "import { Day } from './day.js';")
      // As the browser finds what the script imports: in the same folder.
      let module = try await browser.get(String(script).replacing("bank.js", with: "day.js"))
      #expect(module.body == "export class Day {}")
      #expect(try await browser.get(String(script).replacing("bank.js", with: "night.js")).status == 404)
      #expect(try await browser.get("/api/screens/bank/day?number=7").body == #"{"day":"7"}"#)
      let refusal = try await browser.get("/api/screens/bank/closed")
      #expect(
        refusal.status == 409 && refusal.code == "closed" && refusal.message == "the bank is closed; come tomorrow")
      #expect(try await browser.get("/api/screens/bank/add").status == 404)
      #expect(try await browser.get("/api/screens/other/day").status == 404)
    }
  }

  @Test("an action that cannot be recorded has its answer all the same, and the log says so in one line")
  func unrecorded() async throws {
    let (log, form) = (ServiceLog(), UUID())
    try await PageStage.serving(screens: [screen(SharedCount())], logger: log.logger) { browser in
      let answer = try await browser.post(
        "/api/screens/bank/add", #"{"form":"\#(form.uuidString)","customers":10}"#)
      #expect(answer.status == 200 && answer.object?["added_customers"] as? Int == 10, "\(answer)")
    }
    let lines = log.lines.filter { $0.contains("it is not in the record of actions") }
    #expect(lines.count == 1 && lines[0].contains("warning: local did screen"), "\(log.lines)")
    #expect(lines.first?.contains("\(form)") == true, "\(lines)")
  }

  @Test("an action is carried out once, however often its form is sent in one go")
  func once() async throws {
    let calls = SharedCount()
    try await PageStage.serving(screens: [screen(calls)]) { browser in
      let form = #"{"form":"\#(UUID().uuidString)","customers":10}"#
      let answers = try await withThrowingTaskGroup(of: Browser.Answer.self) { group in
        for _ in 0..<3 { group.addTask { try await browser.post("/api/screens/bank/add", form) } }
        return try await group.reduce(into: [Browser.Answer]()) { $0.append($1) }
      }
      #expect(Set(answers.map(\.body)).count == 1 && answers.allSatisfy { $0.status == 200 }, "\(answers)")
      #expect(answers[0].object?["added_customers"] as? Int == 10 && answers[0].object?["by"] as? String == "local")
      #expect(calls.count == 1)
      let other = try await browser.post(
        "/api/screens/bank/add", form.replacing("\"customers\":10", with: "\"customers\":11"))
      #expect(other.status == 409, "\(other)")
      let wrong = try await browser.post("/api/screens/bank/add", #"{"form":"\#(UUID().uuidString)"}"#)
      #expect(wrong.status == 400 && wrong.message.contains("customers"), "\(wrong)")
    }
  }
}

/// Counts calls.
final class SharedCount: Sendable {
  private let number = Atomic(0)
  var count: Int { number.load(ordering: .relaxed) }
  func add() { number.add(1, ordering: .relaxed) }
}
