import AuditSupport
import Foundation
import Testing

/// The checker itself: it must find what is wrong, and nothing else.
@Suite("The checker of openings")
struct OpeningCheckerTests {
  private static let order = ["login 1", "app version 1"]
  private static let lines = [
    "begin a 1 1 10 100 login", "end a 1 1 10 110 login", "begin b 1 1 20 120 app version",
    "end b 1 1 20 130 app version", "begin c 0 1 10 140 customer", "end c 0 1 10 150 customer",
    "begin d 0 1 10 160 closing", "end d 0 1 10 170 closing",
  ]

  /// The problems of the lines, of which some are replaced by others.
  private func problems(
    _ replaced: [Int: [String]] = [:], deaths: [pid_t: Int] = [:], finished: [String: Int64] = [:]
  ) -> [String] {
    let lines = Self.lines.indices.flatMap { replaced[$0] ?? [Self.lines[$0]] }
    let runs = StepRun.runs(of: lines.map { $0.split(separator: " ").map(String.init) })
    return OpeningChecker(runs: runs, deaths: deaths, finished: finished).problems(order: Self.order, customers: 1)
  }

  @Test("finds nothing where nothing is wrong")
  func nothing() {
    #expect(problems(finished: ["a": 110, "b": 130, "c": 150, "d": 170]).isEmpty)
  }

  @Test("finds a second run, unless the first one was cut off by the death of its worker")
  func twice() {
    let again = [1: [Self.lines[1], "begin a 1 1 20 115 login", "end a 1 1 20 116 login"]]
    #expect(problems(again) == ["login 1 ran 2 times"])
    #expect(problems(again, deaths: [10: 2]) == ["login 1 ran 2 times"])
    let cut = [1: ["begin a 1 1 20 115 login", "end a 1 1 20 116 login"]]
    #expect(problems(cut, deaths: [10: 1]).isEmpty)
    #expect(problems(cut) == ["login 1 ran 2 times", "login 1 began while login 1 ran"] + others("login 1"))
  }

  /// What begins while a run is open that never ends.
  private func others(_ run: String) -> [String] {
    ["app version 1", "closing"].map { "\($0) began while \(run) ran" }
  }

  @Test("finds a run that began after its job's outcome was recorded")
  func late() {
    #expect(problems(finished: ["b": 119]) == ["app version 1 began after its outcome was recorded"])
  }

  @Test("finds two ranks at once, and a wrong order")
  func overlapping() {
    let beside = [1: [Self.lines[2], Self.lines[1]], 2: []]
    #expect(problems(beside) == ["app version 1 began while login 1 ran"])
    let turned = [0: [Self.lines[2], Self.lines[3]], 1: [Self.lines[0], Self.lines[1]], 2: [], 3: []]
    #expect(problems(turned).map { $0.prefix(12) } == ["the order is"])
    let missing = [2: [String](), 3: []]
    #expect(problems(missing).map { $0.prefix(12) } == ["the order is"])
  }

  @Test("finds a customer before the bank is open, and one who was not served")
  func early() {
    #expect(problems([1: [Self.lines[4], Self.lines[1]], 4: []]) == ["1 customers ran before the bank was open"])
    #expect(problems([4: [], 5: []]) == ["0 runs of 1 customers"])
  }
}
