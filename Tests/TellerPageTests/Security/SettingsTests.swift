import Foundation
import Teller
import TellerHealth
import TestSupport
import Testing

@testable import TellerPage

@Suite("The settings of the page")
struct SettingsTests {
  private func problem(_ address: String, _ change: (inout PageSettings) -> Void = { _ in }) throws -> String? {
    var settings = PageSettings(address: try #require(HealthAddress(address)))
    change(&settings)
    do {
      try settings.check()
      return nil
    } catch {
      #expect(!error.description.contains("\n"))
      return error.description
    }
  }

  @Test(
    "this machine alone needs nothing", arguments: ["127.0.0.1:8090", "[::1]:8090", "localhost:8090", "127.9.9.9:1"])
  func loopback(address: String) throws { #expect(try problem(address) == nil) }

  @Test("the network needs tokens, and encryption or a proxy", arguments: ["0.0.0.0:8090", "[::]:8090", "page:80"])
  func network(address: String) throws {
    let tls = PageSettings.Encryption(certificate: "c", key: "k")
    #expect(try problem(address)?.contains("--tokens") == true)
    #expect(try problem(address) { $0.tls = tls }?.contains("--tokens") == true)
    #expect(try problem(address) { $0.tokens = "t" }?.contains("--tls-certificate") == true)
    #expect(try problem(address) { ($0.tokens, $0.tls) = ("t", tls) } == nil)
    #expect(try problem(address) { ($0.tokens, $0.proxy) = ("t", "10.0.0.7") } == nil)
  }

  @Test("an address of a container that is published on the loopback alone needs nothing, but a proxy opens that, too")
  func published() throws {
    #expect(try problem("0.0.0.0:8090") { $0.isPublishedLocally = true } == nil)
    #expect(try problem("0.0.0.0:8090") { ($0.isPublishedLocally, $0.proxy) = (true, "10.0.0.7") } != nil)
  }

  @Test("the environment has every setting; a wrong one is named")
  func environment() throws {
    var expected = PageSettings(address: HealthAddress(host: "0.0.0.0", port: 80))
    (expected.prefix, expected.hosts, expected.tokens, expected.proxy) = ("/jobs", ["a", "b"], "t", "10.0.0.7")
    expected.tls = PageSettings.Encryption(certificate: "c", key: "k")
    (expected.isPublishedLocally, expected.isReadOnly, expected.showsPayloads) = (true, true, false)
    var environment = [
      "TELLER_PAGE_LISTEN": "0.0.0.0:80", "TELLER_PAGE_PREFIX": "/jobs", "TELLER_PAGE_HOST": "a,b",
      "TELLER_PAGE_TOKENS": "t", "TELLER_PAGE_BEHIND_PROXY": "10.0.0.7", "TELLER_PAGE_TLS_CERTIFICATE": "c",
      "TELLER_PAGE_TLS_KEY": "k", "TELLER_PAGE_PUBLISHED_LOCALLY": "1", "TELLER_PAGE_READ_ONLY": "true",
      "TELLER_PAGE_NO_PAYLOADS": "1",
    ]
    #expect(try PageSettings.load(environment: environment) == expected)
    #expect(try PageSettings.load(environment: ["TELLER_PAGE_PREFIX": ""]) == PageSettings())
    for (name, wrong) in [("TELLER_PAGE_LISTEN", "x"), ("TELLER_PAGE_READ_ONLY", "yes")] {
      let error = #expect(throws: ConfigurationError.self) { try PageSettings.load(environment: [name: wrong]) }
      #expect(error?.description.hasPrefix(name) == true)
    }
    environment["TELLER_PAGE_TLS_KEY"] = nil
    #expect(throws: ConfigurationError.self) { try PageSettings.load(environment: environment) }
  }

  @Test("a proxy opens the page to others, so it needs tokens")
  func proxy() throws {
    #expect(try problem("127.0.0.1:1") { $0.proxy = "127.0.0.1" }?.contains("--tokens") == true)
    #expect(try problem("127.0.0.1:1") { ($0.proxy, $0.tokens) = ("127.0.0.1", "t") } == nil)
    #expect(try problem("127.0.0.1:1") { ($0.proxy, $0.tokens) = ("nginx", "t") }?.contains("--behind-proxy") == true)
    #expect(try problem("127.0.0.1:1") { ($0.proxy, $0.tokens) = ("10.0.0.0/8", "t") } == nil)
    for all in ["0.0.0.0/0", "::/0"] {
      #expect(try problem("127.0.0.1:1") { ($0.proxy, $0.tokens) = (all, "t") }?.contains("every machine") == true)
    }
  }

  @Test(
    "a prefix is a path of ordinary letters",
    arguments: [
      ("/jobs", true), ("/a/b-1", true), ("", true), ("jobs", false), ("/jobs/", false), ("/", false),
      ("/../x", false), ("/a//b", false), ("/<b>", false), ("/a b", false), ("/a\r\nX: y", false), ("/a;b", false),
    ])
  func prefix(text: String, isRight: Bool) throws {
    #expect((try problem("127.0.0.1:1") { $0.prefix = text } == nil) == isRight)
  }

  @Test("a host has no port and no signs", arguments: ["jobs.example.org:80", "a b", "", "http://x", "x/y"])
  func hosts(host: String) throws {
    #expect(try problem("127.0.0.1:1") { $0.hosts = [host] }?.contains("--host") == true)
  }

  @Test("a screen's path is none of the page's own, and of small letters")
  func screens() {
    for path in ["bank", "my-bank2"] { #expect(ScreenPath.isValid(path)) }
    for path in ["", "jobs", "api", "assets", "Bank", "a/b", "..", "a_b", "ä"] { #expect(!ScreenPath.isValid(path)) }
  }
}

@Suite("Names of machines")
struct HostTests {
  private func allows(_ field: String, _ address: String = "127.0.0.1:8090", _ more: Set<String> = []) throws -> Bool {
    var settings = PageSettings(address: try #require(HealthAddress(address)))
    settings.hosts = more
    return AllowedHosts(settings).allow(field)
  }

  @Test("the loopback names, the address and the given names are allowed, whatever the port is")
  func allowed() throws {
    for field in ["localhost", "LOCALHOST:8090", "127.0.0.1:8090", "127.0.0.1:9", "[::1]:8090", "[::1]"] {
      #expect(try allows(field), "\(field)")
    }
    #expect(try allows("jobs.example.org", "0.0.0.0:80", ["Jobs.Example.org"]))
    #expect(try allows("10.0.0.7:80", "10.0.0.7:80"))
    #expect(try !allows("0.0.0.0:80", "0.0.0.0:80"))
  }

  @Test("any other name is refused: another site may make it point here")
  func refused() throws {
    for field in [
      "evil.example", "localhost.evil.example", "evil.example:8090", "", " ", "127.0.0.1.evil.example", "127.0.0.2",
      "localhost:80:80", "localhost:", "localhost:x", "localhost:+80", "localhost, evil.example", "::1", "[::1",
      "localhost@x",
      "localhost/x", "localhost\r\nX: y",
    ] {
      #expect(try !allows(field), "\(field)")
    }
  }
}
