import Foundation
import SystemSupport
import TestSupport
import Testing

/// A page that is served, and a real Chromium that plays scenarios on it.
struct Browser {
  let system: TellerSystem
  let page: RunningProcess
  /// Without a prefix.
  let address: String

  /// Starts a page of `teller` or `bank`, on a free port.
  static func serve(
    _ program: String = "teller", _ arguments: [String] = [], on system: TellerSystem
  ) async throws -> Browser {
    let page = try system.launch(program, ["page", "--listen", "127.0.0.1:0"] + arguments)
    let line = try await page.waitForLine(containing: "page at http", within: TellerSystem.limit)
    let found = try #require(line.firstMatch(of: /https?:\/\/[^\/]+/), "\(line)")
    return Browser(system: system, page: page, address: String(found.0))
  }

  /// Where the page listens.
  var port: UInt16 {
    get throws { UInt16(try #require(URL(string: address)?.port)) }
  }

  /// How long the scenarios of a module may take: they run beside other tests, and give way to them.
  private static let limit = TellerSystem.longLimit * 3

  /// Where the scenarios are.
  private static let folder = PackageFolder.url.appending(path: "Tests/EndToEndTests/Browser")

  /// Starts the scenarios of modules, with what they have to know.
  func start(_ modules: String..., facts: [String: Any] = [:]) throws -> RunningProcess {
    try start(modules, facts)
  }

  private func start(_ modules: [String], _ facts: [String: Any]) throws -> RunningProcess {
    let text = String(decoding: try JSONSerialization.data(withJSONObject: facts), as: UTF8.self)
    return try system.launch(
      PythonVenv.pika(), named: "browser \(modules)",
      [Browser.folder.appending(path: "play.py").path, address, text] + modules, environment: ["PYTHONUNBUFFERED": "1"])
  }

  /// Plays the scenarios of modules to their ends; each that fails is an issue.
  func play(_ modules: String..., facts: [String: Any] = [:]) async throws {
    try await Browser.end(try start(modules, facts), system)
  }

  static func end(_ scenarios: RunningProcess, _ system: TellerSystem) async throws {
    scenarios.closeInput()
    let status = try await scenarios.waitForExit(within: limit)
    let lines = scenarios.text(of: .standardOutput)
    print(lines.joined(separator: "\n"))
    for line in lines where line.hasPrefix("✘") { Issue.record("\(line)\n\(system.logs)") }
    #expect(status == 0, "\(lines.suffix(9))\n\(scenarios.text(of: .standardError).suffix(20))")
    #expect(lines.contains { $0.hasPrefix("✔") })
  }
}
