import Decisions
import Testing

@testable import TellerPage

@Suite("Whether a request comes from the page itself")
struct OriginRuleTests {
  private let own = "http://127.0.0.1:8090"

  private func refusal(_ site: [String], _ origin: [String] = []) -> String? {
    OriginRule.refusal(ofChange: .init(fetchSite: site, origin: origin), own: own)
  }

  @Test("a change says that it does, by Sec-Fetch-Site, else by its exact origin")
  func allowed() {
    #expect(refusal(["same-origin"]) == nil)
    #expect(refusal([], [own]) == nil)
  }

  @Test("any other change is refused, and told why")
  func refused() {
    for site in ["cross-site", "same-site", "none", "<script>", ""] {
      #expect(refusal([site], [own]) != nil, "\(site)")
    }
    #expect(refusal(["same-origin", "cross-site"]) != nil)
    for origin in [
      "null", "http://127.0.0.1", "https://127.0.0.1:8090", "http://127.0.0.1:80901", "http://evil.example", "",
    ] {
      #expect(refusal([], [origin]) != nil, "\(origin)")
    }
    #expect(refusal([], [own, own]) != nil)
    #expect(refusal([])?.contains("Origin: \(own)") == true)
    #expect(refusal(["<script>"])?.contains("<") == false)
  }

  @Test("a question may come from nowhere, and not from another page")
  func question() {
    for site in [[], ["same-origin"], ["none"]] {
      #expect(OriginRule.refusal(ofQuestion: .init(fetchSite: site)) == nil)
    }
    for site in ["cross-site", "same-site"] {
      #expect(OriginRule.refusal(ofQuestion: .init(fetchSite: [site])) != nil)
    }
  }
}

@Suite("Whose word counts about where a request comes from")
struct ProxyRuleTests {
  private let forwarded = RequestSource.Forwarded(
    proto: ["https"], host: ["jobs.example.org"], machines: ["1.2.3.4, 203.0.113.9"])

  private func source(_ proxy: String?, _ peer: String, hosts: [String] = ["127.0.0.1:8090"]) -> RequestSource? {
    ProxyRule(proxy: proxy.flatMap { IPNetwork($0) }, isEncrypted: false)
      .source(of: IPAddress(peer), hosts: hosts, forwarded: forwarded)
  }

  @Test("without a proxy anybody may write such fields, and they are passed over")
  func none() {
    let expected = RequestSource(machine: IPAddress("203.0.113.1"), host: "127.0.0.1:8090", isEncrypted: false)
    #expect(source(nil, "203.0.113.1") == expected)
  }

  @Test("the proxy's word counts: what it added itself, not what came before")
  func proxy() {
    let expected = RequestSource(machine: IPAddress("203.0.113.9"), host: "jobs.example.org", isEncrypted: true)
    #expect(source("10.0.0.7", "10.0.0.7") == expected)
    #expect(source("10.0.0.0/8", "::ffff:10.9.9.9") == expected)
    #expect(expected.origin == "https://jobs.example.org")
  }

  @Test("nobody goes round the proxy")
  func around() { #expect(source("10.0.0.7", "10.0.0.8") == nil) }

  @Test("there is exactly one host") func hosts() {
    #expect(source(nil, "127.0.0.1", hosts: []) == nil)
    #expect(source(nil, "127.0.0.1", hosts: ["localhost", "evil.example"]) == nil)
  }
}
