import Testing

@testable import AMQP

@Suite("Broker URLs")
struct BrokerURLTests {
  @Test(
    "every part is read and percent-decoded",
    arguments: [
      (
        "amqp://u:p@host:10000/vhost",
        BrokerURL(host: "host", port: 10000, user: "u", password: "p", virtualHost: "vhost")
      ),
      (
        "amqp://user%61:%61pass@ho%61st:10000/v%2fhost",
        BrokerURL(host: "hoast", port: 10000, user: "usera", password: "apass", virtualHost: "v/host")
      ),
      ("amqp://host", BrokerURL(host: "host")),
      ("amqp://host/", BrokerURL(host: "host")),
      ("amqp://host/%2F", BrokerURL(host: "host")),
      ("amqp://host/orders", BrokerURL(host: "host", virtualHost: "orders")),
      ("AMQPS://host", BrokerURL(isSecure: true, host: "host", port: 5671)),
      ("amqp://user@host", BrokerURL(host: "host", user: "user", password: "")),
      ("amqp://u:p%40ss%3A@host", BrokerURL(host: "host", user: "u", password: "p@ss:")),
      ("amqp://u:p@ss@host", BrokerURL(host: "host", user: "u", password: "p@ss")),
      ("amqp://[::1]:5673/x", BrokerURL(host: "::1", port: 5673, virtualHost: "x")),
      ("amqp://[::1]", BrokerURL(host: "::1")),
      ("amqp://host:/x", BrokerURL(host: "host", virtualHost: "x")),
    ])
  func reads(text: String, expected: BrokerURL) throws {
    #expect(try BrokerURL(text) == expected)
  }

  @Test(
    "what is no broker URL is refused with its reason",
    arguments: [
      ("host:5672", BrokerURLError.missingScheme), ("http://host", .unknownScheme), ("amqp://", .missingHost),
      ("amqp://u:p@/x", .missingHost), ("amqp://[::1", .invalidHost), ("amqp://[::1]5672", .invalidHost),
      ("amqp://host:0", .invalidPort), ("amqp://host:65536", .invalidPort), ("amqp://host:+1", .invalidPort),
      ("amqp://host:a", .invalidPort), ("amqp://host/a/b", .invalidVirtualHost),
      ("amqp://u:%zz@host", .invalidEncoding(part: "password")), ("amqp://u%00:p@host", .invalidEncoding(part: "user")),
      ("amqp://host/x?heartbeat=3", .unexpectedQuery),
    ])
  func refuses(text: String, expected: BrokerURLError) {
    #expect(throws: expected) { try BrokerURL(text) }
  }

  @Test("a broker of several nodes has several addresses, each with its own port or the usual one")
  func severalAddresses() throws {
    let url = try BrokerURL("amqp://u:s3cret@a:5673,b,[::1]:5674,%63/x")
    #expect(url.addresses.map(\.host) == ["a", "b", "::1", "c"])
    #expect(url.addresses.map(\.port) == [5673, 5672, 5674, 5672])
    #expect((url.user, url.password, url.virtualHost) == ("u", "s3cret", "x"))
    #expect("\(url)" == "amqp://u@a:5673,b:5672,[::1]:5674,c:5672/x")
    #expect(try BrokerURL("amqps://a,b:1").addresses.map(\.port) == [5671, 1])
    let second = url.at(url.addresses[1])
    #expect(second == BrokerURL(host: "b", port: 5672, user: "u", password: "s3cret", virtualHost: "x"))
    #expect(try BrokerURL("amqp://host").addresses == [BrokerAddress(host: "host", port: 5672)])
  }

  @Test(
    "an address that is none is refused wherever it stands",
    arguments: [
      ("amqp://a,", BrokerURLError.missingHost), ("amqp://,b", .missingHost), ("amqp://a,,b/x", .missingHost),
      ("amqp://a,b:0", .invalidPort), ("amqp://a,[::1", .invalidHost), ("amqp://a,%zz", .invalidEncoding(part: "host")),
    ])
  func refusesAddresses(text: String, expected: BrokerURLError) {
    #expect(throws: expected) { try BrokerURL(text) }
  }

  @Test("neither the description nor a dump nor an error shows the password")
  func hidesThePassword() throws {
    let url = try BrokerURL("amqp://teller:s3cret@host/a%2Fb")
    var dumped = ""
    dump(url, to: &dumped)
    #expect("\(url)" == "amqp://teller@host:5672/a%2Fb")
    #expect(!dumped.contains("s3cret") && !String(reflecting: url).contains("s3cret"))
    #expect(throws: BrokerURLError.self) { try BrokerURL("amqp://teller:s3cret@host:99999") }
    #expect(!"\(BrokerURLError.invalidPort)".contains("s3cret"))
  }
}
