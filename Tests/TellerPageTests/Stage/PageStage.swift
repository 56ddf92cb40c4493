import Foundation
import JobModel
import Logging
import NIOCore
import Synchronization
import Teller
import TellerHealth
import TestSupport
import Testing

@testable import TellerPage

/// Serves a page on a port of its own.
enum PageStage {
  static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  /// Settings for tests of all but the limits of time: on a busy machine an answer may take longer than they are.
  static var settings: PageSettings {
    var settings = PageSettings(address: HealthAddress(host: "127.0.0.1", port: 0))
    (settings.limits.idle, settings.limits.arrival, settings.limits.write) = (.hours(1), .hours(1), .hours(1))
    // What is recorded behind an old picture may come as a new one, and not as events.
    settings.limits.firstBoard = .seconds(3_600)
    return settings
  }

  /// A client that nobody runs: the coordinator is not asked, or is away.
  static var idleClient: TellerClient {
    var timeouts = ClientTimeouts()
    timeouts.request = .milliseconds(1)
    return TellerClient(TellerConfiguration(), timeouts: timeouts, logger: quiet)
  }

  /// Runs the body with a browser in front of the page.
  static func serving<Value: Sendable>(
    _ settings: PageSettings = settings, client: TellerClient = idleClient, source: (any HubSource)? = PlayedSource(),
    screens: [PageScreen] = [], logger: Logger = quiet, _ body: @escaping @Sendable (Browser) async throws -> Value
  ) async throws -> Value {
    let page = try PageServer(
      client, settings, screens: screens, source: source ?? ClientSource(client: client), logger: logger)
    return try await serving(page, body)
  }

  /// The same with a page that the test has, too.
  static func serving<Value: Sendable>(
    _ page: PageServer, _ body: @escaping @Sendable (Browser) async throws -> Value
  ) async throws -> Value {
    let address = Mutex<HealthAddress?>(nil)
    let value = Mutex<Value?>(nil)
    try await limited("the page to end", within: patience * 3) {
      try await page.run(listening: { listening in address.withLock { $0 = listening } }) {
        let browser = Browser(address: try #require(address.withLock { $0 }))
        let result = try await body(browser)
        value.withLock { $0 = result }
      }
    }
    return try #require(value.withLock { $0 })
  }
}

/// Two people with tokens.
enum People {
  static let anna = "a-token-of-anna"
  static let otto = "a-token-of-otto"

  /// A file with the digests of both.
  static func file(in folder: TemporaryFolder) throws -> String {
    let lines = ["# who may look", line("otto", "viewer", otto), "", line("anna", "operator", anna) + " # and act"]
    return try write(lines.joined(separator: "\n"), in: folder)
  }

  static func write(_ text: String, in folder: TemporaryFolder) throws -> String {
    let path = folder.appending("tokens").path
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    return path
  }

  static func line(_ name: String, _ role: String, _ token: String) -> String {
    "\(name) \(role) \(Digest.sha256(of: Array(token.utf8)).map { String(format: "%02x", $0) }.joined())"
  }
}

extension Browser {
  /// The same browser after it has signed in.
  func signedIn(_ token: String) async throws -> Browser {
    let answer = try await post("/api/sign-in", #"{"token":"\#(token)"}"#)
    let cookie = try #require(answer.field("Set-Cookie"), "\(answer)").prefix { $0 != ";" }
    var browser = self
    browser.fields.append("Cookie: \(cookie)")
    return browser
  }
}
