import TellerHealth
import Testing

@Suite("Where health is told")
struct HealthAddressTests {
  @Test(
    "an address is a host and a port",
    arguments: [
      ("127.0.0.1:8081", "127.0.0.1", 8081), ("http://worker-3.example:80/", "worker-3.example", 80),
      ("[::1]:0", "::1", 0), ("[fe80::1%eth0]:65535", "fe80::1%eth0", 65_535), ("localhost:1", "localhost", 1),
    ])
  func read(text: String, host: String, port: Int) throws {
    let address = try #require(HealthAddress(text))
    #expect(address == HealthAddress(host: host, port: port))
    #expect(HealthAddress(address.description) == address)
  }

  @Test(
    "anything else is none",
    arguments: [
      "", ":", "8081", ":8081", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1",
      "::1:80", "[::1]", "[]:1", "https://a:1", "http://http://a:1", "a b:1", "a:1/ready", "user@a:1", "a\r\nb:1",
      "a:١", "a:000080", String(repeating: "a", count: 254) + ":1",
    ])
  func refused(text: String) { #expect(HealthAddress(text) == nil) }
}
