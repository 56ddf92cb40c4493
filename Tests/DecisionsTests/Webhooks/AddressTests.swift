import Decisions
import Testing

@Suite("IP addresses")
struct AddressTests {
  @Test(
    "each has its kind",
    arguments: [
      ("8.8.8.8", .global), ("172.15.255.255", .global), ("172.32.0.0", .global), ("100.63.255.255", .global),
      ("100.128.0.0", .global), ("223.255.255.255", .global), ("2606:4700::1111", .global),
      ("0.0.0.0", .unspecified), ("0.1.2.3", .unspecified), ("::", .unspecified),
      ("127.0.0.1", .loopback), ("127.255.255.254", .loopback), ("::1", .loopback),
      ("10.0.0.1", .private), ("172.16.0.1", .private), ("172.31.255.255", .private), ("192.168.1.1", .private),
      ("100.64.0.1", .private), ("100.127.255.255", .private), ("fc00::1", .private), ("fdff::1", .private),
      ("fec0::1", .private),
      ("169.254.169.254", .linkLocal), ("fe80::1", .linkLocal), ("febf::1", .linkLocal),
      ("224.0.0.1", .multicast), ("239.255.255.255", .multicast), ("ff02::1", .multicast),
      ("192.0.2.1", .documentation), ("198.51.100.7", .documentation), ("203.0.113.9", .documentation),
      ("2001:db8::1", .documentation), ("3fff::1", .documentation),
      ("240.0.0.1", .reserved), ("255.255.255.255", .reserved), ("198.18.0.1", .reserved), ("192.0.0.8", .reserved),
      ("2001::1", .reserved), ("100::1", .reserved), ("4000::1", .reserved), ("64:ff9b:1::1", .reserved),
      ("::127.0.0.1", .reserved),
    ] as [(String, AddressKind)])
  func kinds(text: String, kind: AddressKind) throws {
    #expect(AddressKind(of: try #require(IPAddress(text))) == kind)
  }

  @Test(
    "one that holds another has its kind",
    arguments: [
      ("::ffff:127.0.0.1", .loopback), ("::ffff:a9fe:a9fe", .linkLocal), ("64:ff9b::10.1.2.3", .private),
      ("64:ff9b::8.8.8.8", .global), ("2002:7f00:1::", .loopback), ("2002:808:808::1", .global),
      ("::ffff:0:192.168.0.1", .private), ("::ffff:8.8.8.8", .global),
    ] as [(String, AddressKind)])
  func embedded(text: String, kind: AddressKind) throws {
    #expect(AddressKind(of: try #require(IPAddress(text))) == kind)
  }

  @Test(
    "other ways of writing are none", arguments: ["127.1", "0x7f.0.0.1", "2130706433", "::1%lo", "", "010.0.0.1", "a"])
  func texts(text: String) {
    #expect(IPAddress(text) == nil)
  }

  @Test("networks have their addresses, and no others")
  func networks() throws {
    let ten = try #require(IPNetwork("10.4.0.0/14"))
    #expect(ten.contains(try #require(IPAddress("10.7.255.255"))))
    #expect(!ten.contains(try #require(IPAddress("10.8.0.0"))))
    #expect(!ten.contains(try #require(IPAddress("::ffff:10.7.0.0"))))
    #expect(try #require(IPNetwork("fd00::7")).contains(try #require(IPAddress("fd00::7"))))
    #expect(ten.description == "10.4.0.0/14")
    for text in ["10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "/8", "fd00::/129", "host"] {
      #expect(IPNetwork(text) == nil, "\(text)")
    }
  }
}

@Suite("What a webhook may reach")
struct AllowedDestinationsTests {
  private func refusal(_ text: String, as host: String, _ allowed: AllowedDestinations) throws -> AddressKind? {
    allowed.refusal(of: try #require(IPAddress(text)), as: host)
  }

  @Test("is the internet, and nothing inside")
  func nothingAllowed() throws {
    #expect(try refusal("8.8.8.8", as: "a.example", AllowedDestinations()) == nil)
    for text in ["127.0.0.1", "10.0.0.1", "fd00::1", "169.254.169.254", "::ffff:10.0.0.1", "0.0.0.0", "224.0.0.1"] {
      #expect(try refusal(text, as: "a.example", AllowedDestinations()) != nil, "\(text)")
    }
  }

  @Test("is a network inside that is allowed, also in another form of its addresses")
  func network() throws {
    let allowed = AllowedDestinations(networks: [try #require(IPNetwork("10.1.0.0/16"))])
    #expect(try refusal("10.1.2.3", as: "a.example", allowed) == nil)
    #expect(try refusal("::ffff:10.1.2.3", as: "a.example", allowed) == nil)
    #expect(try refusal("10.2.0.1", as: "a.example", allowed) == .private)
    #expect(try refusal("::ffff:10.2.0.1", as: "a.example", allowed) == .private)
  }

  @Test("is what an allowed name stands for, unless that is link-local")
  func name() throws {
    let allowed = AllowedDestinations(hosts: ["inside.example"])
    #expect(try refusal("10.1.2.3", as: "inside.example", allowed) == nil)
    #expect(try refusal("127.0.0.1", as: "inside.example", allowed) == nil)
    #expect(try refusal("10.1.2.3", as: "other.example", allowed) == .private)
    #expect(try refusal("169.254.169.254", as: "inside.example", allowed) == .linkLocal)
    #expect(try refusal("0.0.0.0", as: "inside.example", allowed) == .unspecified)
  }
}

@Suite("The address of a webhook")
struct WebhookAddressTests {
  @Test(
    "is read, and written in one form",
    arguments: [
      ("https://hooks.example.com/T0/B0/x", "https://hooks.example.com", "/T0/B0/x"),
      ("HTTPS://Hooks.Example.COM", "https://hooks.example.com", "/"),
      ("http://10.0.0.1:8080?a=b%20c", "http://10.0.0.1:8080", "/?a=b%20c"),
      ("http://[0:0::1]:80/x", "http://[::1]:80", "/x"),
    ])
  func read(text: String, shown: String, path: String) throws {
    let address = try WebhookAddress(text)
    #expect(address.description == shown)
    #expect(address.path == path)
    #expect(address.url == shown + path)
    #expect(try WebhookAddress(address.url) == address)
  }

  @Test(
    "is refused where two could read it differently, or a log would show a secret",
    arguments: [
      ("ftp://a.example/", .scheme), ("a.example", .scheme), ("", .scheme), ("unix:/x", .scheme),
      ("https://user:password@a.example/", .userinfo), ("https://user@a.example/", .userinfo),
      ("https:///x", .host), ("https://a..example/", .host), ("https://a example/", .host),
      ("https://ä.example/", .host),
      ("https://[127.0.0.1]/", .host), ("https://[::1%lo]/", .host), ("http://127.1/", .host),
      ("http://0x7f000001/", .host),
      ("http://2130706433/", .host), ("https://a%2eexample/", .host), ("https://a.example.:443/", .host),
      ("https://a.example:0/", .port), ("https://a.example:65536/", .port), ("https://a.example:/", .port),
      ("https://a.example:80x/", .port), ("https://a.example/x#y", .fragment), ("https://a.example/x y", .path),
      ("https://a.example/\r\nx: y", .path), ("https://a.example\\@10.0.0.1/", .path), ("https://a.example/é", .path),
    ] as [(String, WebhookAddress.Problem)])
  func refused(text: String, problem: WebhookAddress.Problem) {
    #expect(throws: problem) { try WebhookAddress(text) }
    #expect(throws: WebhookAddress.Problem.tooLong) {
      try WebhookAddress("https://a.example/" + String(repeating: "x", count: 2_000))
    }
  }
}

@Suite("The secret of a webhook")
struct WebhookSecretTests {
  @Test("is base64 behind its prefix, and no text shows it")
  func secret() throws {
    let secret = try WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    #expect(secret.key.count == 24)
    var dumped = ""
    dump(secret, to: &dumped)
    #expect(!dumped.contains("\(secret.key[0])"))
    #expect("\(secret) \(String(reflecting: secret))" == "a secret a secret")
  }

  @Test(
    "is refused in any other form",
    arguments: [
      ("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", .prefix), ("whsec_not base64!", .base64), ("whsec_AAAA", .length(3)),
      ("whsec_" + String(repeating: "A", count: 88), .length(66)),
    ] as [(String, WebhookSecret.Problem)])
  func refused(text: String, problem: WebhookSecret.Problem) {
    #expect(throws: problem) { try WebhookSecret(text) }
  }
}
