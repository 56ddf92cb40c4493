import SystemSupport
import TestSupport
import Testing

/// A real Chromium that watches a page while things happen to it, and obeys orders: each order has a line of `watching.py` as
/// its answer.
struct Watched {
  private let system: TellerSystem
  private let scenarios: RunningProcess

  /// Begins to watch a page. `line`: where a browser reaches it by a line that the test cuts.
  init(_ browser: Browser, line: String) throws {
    system = browser.system
    scenarios = try browser.start("watching", facts: ["line": line])
  }

  /// Waits until the next scenario looks at the page.
  func begin(since line: Int = 0) async throws {
    try await scenarios.waitForLine(containing: "ready", since: line, within: TellerSystem.limit)
  }

  /// Gives orders, one after the other, and waits until each is carried out.
  func see(_ orders: String...) async throws {
    for order in orders {
      let line = scenarios.nextLineNumber
      try scenarios.write(order + "\n")
      try await scenarios.waitForLine(containing: "shows", since: line, within: TellerSystem.limit)
    }
  }

  /// The connection is in that state, by colour, word and sign; a notice has told of it; and what is shown is called old.
  func see(trouble state: String, notice: String) async throws {
    try await see("state \(state)", "old", "notice \(notice)")
  }

  /// The connection stands again, and a notice has told of it.
  func seeConnection() async throws { try await see("state connected", "notice Connected.") }

  /// Ends the scenario. Another one begins.
  func goOn() async throws {
    let line = scenarios.nextLineNumber
    try scenarios.write("end\n")
    try await begin(since: line)
  }

  /// Ends the last scenario.
  func end() async throws {
    try scenarios.write("end\n")
    try await Browser.end(scenarios, system)
  }
}
