import AMQP
import Foundation
import SystemSupport
import TestSupport
import Testing

/// Secrets that are changed while processes run: each reads its own again, by SIGHUP or for its next connection.
@Suite("Secrets that are read again", .timeLimit(.minutes(10)))
struct ReadAgainTests {
  /// A user of a system's broker, with the right to everything, whose password is changed.
  private struct User {
    let name: String
    let url: BrokerURL

    init(of system: TellerSystem) async throws {
      url = try BrokerURL(system.brokerURL)
      name = "rotated-\(url.virtualHost)"
      try await BrokerNode.shared.ctl("add_user", name, "one")
      try await BrokerNode.shared.ctl("set_permissions", "-p", url.virtualHost, name, ".*", ".*", ".*")
    }

    func address(_ password: String) -> String {
      "amqp://\(name):\(password)@\(url.host):\(url.port)/\(url.virtualHost)"
    }

    func change(to password: String) async throws {
      try await BrokerNode.shared.ctl("change_password", name, password)
    }
  }

  @Test("a coordinator takes the `broker:` of teller.yaml at SIGHUP, and serves on with the new password")
  func brokerOfFile() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let user = try await User(of: system)
    try system.configure(more: "broker: \(user.address("one"))\n")
    let coordinator = try await system.startCoordinator(environment: ["TELLER_BROKER_URL": ""])
    try await user.change(to: "two")
    try system.configure(more: "broker: \(user.address("two"))\n")
    coordinator.signal(SIGHUP)
    try await coordinator.waitForLine(containing: "the broker's URL has changed", within: TellerSystem.limit)
    let line = coordinator.nextLineNumber
    try await system.closeAllConnections()
    try await coordinator.waitForLine(containing: "serving", since: line, within: TellerSystem.limit)
    let worker = try await system.startWorker("work=1")
    let job = try await system.submitOne("noop")
    #expect(try await system.outcomes(of: [job]) == [job: "succeeded"], "\(system.logs)")
    // Another user or virtual host is another system: that needs a restart.
    let other = user.address("two").replacing("/\(user.url.virtualHost)", with: "/elsewhere")
    try system.configure(more: "broker: \(other)\n")
    coordinator.signal(SIGHUP)
    try await coordinator.waitForLine(
      containing: "it has another virtual host, which needs a restart", within: TellerSystem.limit)
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("a coordinator and a worker take the URL of their file for their next connection, without a signal")
  func fileOfURL() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let user = try await User(of: system)
    let file = system.folder.appending("broker-url")
    func write(_ password: String) throws {
      try Data("\(user.address(password))\n".utf8).write(to: file, options: .atomic)
    }
    try write("one")
    let environment = ["TELLER_BROKER_URL": "", "TELLER_BROKER_URL_FILE": file.path]
    let coordinator = try await system.startCoordinator(environment: environment)
    let worker = try await system.startWorker(["work=1"], environment: environment)
    try await user.change(to: "two")
    let lines = [coordinator.nextLineNumber, worker.nextLineNumber]
    try await system.closeAllConnections()
    for (process, line) in zip([coordinator, worker], lines) {
      try await process.waitForLine(containing: "ACCESS_REFUSED", since: line, within: TellerSystem.limit)
    }
    try write("two")
    try await coordinator.waitForLine(containing: "serving", since: lines[0], within: TellerSystem.limit)
    try await worker.waitForLine(containing: "ready", since: lines[1], within: TellerSystem.limit)
    let job = try await system.submitOne("noop")
    #expect(try await system.outcomes(of: [job]) == [job: "succeeded"], "\(system.logs)")
    #expect(!system.logs.contains(":one@") && !system.logs.contains(":two@"))
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test(
    "a page reads its tokens at SIGHUP, and keeps them while the file cannot be used", arguments: ["teller", "bank"])
  func tokens(product: String) async throws {
    let system = try await TellerSystem.onSharedBroker()
    let file = system.folder.appending("tokens")
    func write(_ line: String) throws {
      try Data("\(line)\n".utf8).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }
    let digest = String(repeating: "ab", count: 32)
    try write("anna operator \(digest)")
    let page = try system.launch(
      product, ["page", "--listen", "127.0.0.1:0"], environment: ["TELLER_PAGE_TOKENS": file.path])
    try await page.waitForLine(containing: "page at http://", within: TellerSystem.limit)
    try write("otto viewer \(digest)")
    page.signal(SIGHUP)
    try await page.waitForLine(containing: "the tokens of \(file.path) have changed", within: TellerSystem.limit)
    try write("otto king \(digest)")
    page.signal(SIGHUP)
    try await page.waitForLine(
      containing: "the tokens stay as they were: \(file.path):1: ", within: TellerSystem.limit)
    #expect(page.exitStatus == nil)
    try await page.close()
  }
}
