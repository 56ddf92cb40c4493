import Decisions
import Foundation
import Teller
import TestSupport
import Testing

@testable import BankExample
@testable import CoordinatorSettings

@Suite("The opening")
struct OpeningTests {
  @Test("the bank's file has the plan that the day starts: nine steps by rank, its gates, and its push")
  func plan() throws {
    let file = PackageFolder.url.appending(path: "Sources/BankExample/teller.yaml")
    var mistakes = Mistakes()
    let read = ConfigurationFile(yaml: try String(contentsOf: file, encoding: .utf8), &mistakes)
    #expect(mistakes.count == 0)
    let plan = try #require(read.settings.coordinator.plans[Opening.plan]).definition
    #expect(plan.steps.map(\.rank) == Array(stride(from: 10, through: 90, by: 10)))
    #expect(plan.gates == Business.allCases.map(\.department))
    #expect(plan.event(Opening.push)?.whenOpen == .announce)
    #expect(plan.step("login")?.reentry == Reentry(on: "session_expired", from: "user information", atMost: 2))
  }
}
