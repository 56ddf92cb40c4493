import Teller
import Testing

@testable import TellerHealth

@Suite("Asking for health")
struct HealthProbeTests {
  @Test("where nobody listens, the error says so")
  func nobody() async throws {
    // The port for discarding what comes; nobody on this machine offers that.
    let address = HealthAddress(host: "127.0.0.1", port: 9)
    await #expect(throws: HealthProbeError("connection refused")) { try await HealthProbe.ask(address) }
  }
}
