import AMQP
import BrokerSupport
import Foundation
import JobModel
import Logging
import SystemSupport
import TestSupport
import Testing

@testable import JobTransport

@Suite("A broker that is silent on open connections", .timeLimit(.minutes(10)))
struct SilentConnectionTests {
  @Test("each connection of a session is asked again and again, and the check names those without an answer")
  func silent() async throws {
    var url = try BrokerURL(try await BrokerNode.shared.makeVirtualHost())
    let line = try TCPProxy(to: url.port)
    url.port = line.port
    var options = BrokerSessionOptions(readsApart: true)
    // No heartbeat ends them.
    options.connections = .patient()
    let session = BrokerSession(url: url, name: "test session", logger: Logger(label: "test"), options: options)
    let running = Task {
      try await session.run { _ in try await Task.sleep(for: .seconds(3_600)) }
    }
    try await eventually("ready", within: patience) { session.check.isOK }
    line.weather = .blackHole
    try await eventually("every connection is named", within: patience) {
      let check = session.check
      return !check.isOK && BrokerConnections.Role.allCases.allSatisfy { check.detail.contains($0.rawValue) }
    }
    line.weather = .clear
    try await eventually("ready again", within: patience) { session.check.isOK }
    running.cancel()
    _ = await running.result
    line.close()
  }
}
