import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import Teller

@Suite("A client whose line is open and silent")
struct SilentLineTests {
  @Test("tells a wait for how long it has waited, and not for how long its last question has")
  func words() async throws {
    let coordinator = try await CoordinatorPart.start()
    var parts = try #require(URLComponents(string: coordinator.url))
    let line = try TCPProxy(to: UInt16(try #require(parts.port)))
    parts.port = Int(line.port)
    var timeouts = ClientTimeouts.quick
    timeouts.coordinator = .seconds(3)
    let client = try await TellerClient.connect(
      try TellerConfiguration(broker: try #require(parts.string)), timeouts: timeouts)
    let handle = try await client.submit(Deposit.self, .init(cents: 1))
    line.weather = .blackHole
    let error = await #expect(throws: TellerError.self) { try await handle.accepted() }
    #expect("\(try #require(error))".contains("for 3 s"), "\(error.map(String.init(describing:)) ?? "")")
    line.weather = .clear
    await client.close()
    line.close()
    await coordinator.close()
  }
}
