import Foundation
import HostingSupport
import JobModel
import Teller
import TellerHealth
import TestSupport
import Testing

@testable import TellerPage

@Suite("Signing in", .timeLimit(.minutes(10)))
struct SignInTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func settings() throws -> PageSettings {
    var settings = PageStage.settings
    settings.tokens = try People.file(in: folder)
    return settings
  }

  private func action() -> String { #"{"form":"\#(UUID().uuidString)","department":"front"}"# }

  @Test("without a session there is the document, and nothing else")
  func unknown() async throws {
    try await PageStage.serving(try settings()) { browser in
      #expect(try await browser.get("/").status == 200)
      let me = try await browser.get("/api/me")
      #expect(me.body.contains(#""needs_sign_in":true"#) && me.body.contains(#""role":null"#), "\(me)")
      for path in [
        "/api/status", "/api/jobs", "/api/live", "/api/board", "/api/rejected", "/api/jobs/\(JobID())/payload",
      ] {
        let answer = try await browser.get(path)
        #expect(answer.status == 401 && answer.code == "sign_in", "\(path): \(answer)")
      }
      #expect(try await browser.post("/api/actions/pause", action()).status == 401)
      for cookie in ["teller=", "teller=x", "teller=\(String(repeating: "0", count: 64))", "other=x"] {
        #expect(try await browser.get("/api/status", ["Cookie: \(cookie)"]).status == 401, "\(cookie)")
      }
    }
  }

  @Test("a token is exchanged for a cookie that no script and no other site has")
  func cookie() async throws {
    try await PageStage.serving(try settings()) { browser in
      let answer = try await browser.post("/api/sign-in", #"{"token":"\#(People.anna)"}"#)
      #expect(answer.status == 204, "\(answer)")
      let cookie = try #require(answer.field("Set-Cookie"))
      #expect(cookie.wholeMatch(of: /teller=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Strict/) != nil, "\(cookie)")
      let anna = try await browser.signedIn(People.anna)
      let me = try await anna.get("/api/me")
      #expect(me.object?["name"] as? String == "anna" && me.object?["role"] as? String == "operator")
      #expect(me.object?["signed_in"] as? Bool == true && me.object?["needs_sign_in"] as? Bool == false)
    }
  }

  @Test("a viewer may look, and not act; the server says so, whatever the page shows")
  func roles() async throws {
    try await PageStage.serving(try settings()) { browser in
      let (anna, otto) = (try await browser.signedIn(People.anna), try await browser.signedIn(People.otto))
      #expect(try await otto.get("/api/me").object?["role"] as? String == "viewer")
      #expect(try await otto.get("/api/status").code == "no_broker")
      for name in Actions.all.keys.sorted() {
        let answer = try await otto.post("/api/actions/\(name)", action())
        #expect(answer.status == 403 && answer.code == "forbidden", "\(name): \(answer)")
      }
      #expect(try await otto.get("/api/jobs/\(JobID())/payload").status == 403)
      #expect(try await anna.get("/api/jobs/\(JobID())/payload").code == "no_broker")
      #expect(try await anna.post("/api/actions/pause", action()).code == "no_broker")
    }
  }

  @Test("after signing out the cookie is worth nothing")
  func signOut() async throws {
    try await PageStage.serving(try settings()) { browser in
      let anna = try await browser.signedIn(People.anna)
      let answer = try await anna.post("/api/sign-out", "{}")
      #expect(answer.status == 204 && answer.field("Set-Cookie")?.contains("Max-Age=0") == true, "\(answer)")
      #expect(try await anna.get("/api/status").status == 401)
    }
  }

  @Test("a wrong token is refused, and after some the machine has to wait, whoever it claims to be")
  func tries() async throws {
    var settings = try settings()
    (settings.limits.tries, settings.limits.triesTime) = (3, .seconds(3_600))
    try await PageStage.serving(settings) { browser in
      for _ in 0..<3 {
        let answer = try await browser.post("/api/sign-in", #"{"token":"wrong"}"#)
        #expect(answer.status == 401 && answer.field("Set-Cookie") == nil, "\(answer)")
      }
      for token in ["wrong", People.anna] {
        let answer = try await browser.post(
          "/api/sign-in", #"{"token":"\#(token)"}"#, ["X-Forwarded-For: 203.0.113.\(token.count)"])
        #expect(answer.status == 429 && answer.code == "too_many", "\(answer)")
        #expect((answer.field("Retry-After").flatMap { Int($0) } ?? 0) > 3_000)
      }
    }
  }

  @Test("neither tokens nor cookies are in the log; who signed in and what was done is")
  func log() async throws {
    let lines = ServiceLog()
    try await PageStage.serving(try settings(), logger: lines.logger) { browser in
      let anna = try await browser.signedIn(People.anna)
      _ = try await browser.post("/api/sign-in", #"{"token":"wrong-token"}"#)
      _ = try await anna.post("/api/actions/pause", action())
    }
    let log = lines.lines.joined(separator: "\n")
    #expect(log.contains("anna has signed in as operator"), "\(log)")
    #expect(log.contains("anna could not do pause"), "\(log)")
    for secret in [People.anna, "wrong-token", "teller="] { #expect(!log.contains(secret), "\(secret)") }
  }

  @Test("behind a proxy its word counts: the cookie is for encrypted connections, and the origin is the proxy's")
  func proxy() async throws {
    var settings = try settings()
    (settings.proxy, settings.hosts) = ("127.0.0.1", ["jobs.example.org"])
    try await PageStage.serving(settings) { browser in
      let forwarded = [
        "X-Forwarded-Proto: https", "X-Forwarded-Host: jobs.example.org", "X-Forwarded-For: 203.0.113.9",
      ]
      let stranger = Browser(address: browser.address, fields: forwarded)
      let token = #"{"token":"\#(People.anna)"}"#
      let answer = try await stranger.post("/api/sign-in", token, ["Origin: https://jobs.example.org"])
      #expect(answer.field("Set-Cookie")?.hasSuffix("; Secure") == true, "\(answer)")
      #expect(try await stranger.post("/api/sign-in", token, ["Origin: http://\(browser.address)"]).status == 403)
      #expect(try await browser.get("/", ["X-Forwarded-Host: evil.example"]).status == 421)
    }
  }

  @Test("nobody goes round the proxy")
  func aroundProxy() async throws {
    var settings = try settings()
    settings.proxy = "10.0.0.7"
    try await PageStage.serving(settings) { browser in
      for path in ["/", "/api/me"] {
        let answer = try await browser.get(path)
        #expect(answer.status == 403, "\(answer)")
      }
    }
  }

  @Test("a page that cannot be served safely does not begin")
  func unsafe() throws {
    var settings = PageSettings(address: HealthAddress(host: "0.0.0.0", port: 0))
    #expect(throws: ConfigurationError.self) { try PageServer(PageStage.idleClient, settings) }
    settings.tokens = folder.appending("missing").path
    #expect(throws: ConfigurationError.self) { try PageServer(PageStage.idleClient, settings) }
    settings.tokens = try People.file(in: folder)
    #expect(throws: ConfigurationError.self) { try PageServer(PageStage.idleClient, settings) }
    settings.tls = PageSettings.Encryption(certificate: folder.appending("c").path, key: folder.appending("k").path)
    let error = #expect(throws: ConfigurationError.self) { try PageServer(PageStage.idleClient, settings) }
    #expect(error?.description.contains("there is no such file") == true)
  }

  @Test("a stream ends with the session of its person")
  func signedOut() async throws {
    try await PageStage.serving(try settings()) { browser in
      let anna = try await browser.signedIn(People.anna)
      try await anna.stream { messages in
        #expect(try await messages.next() != nil)
        #expect(try await anna.post("/api/sign-out", "{}").status == 204)
        while try await messages.next() != nil {}
      }
      #expect(try await anna.get("/api/status").status == 401)
    }
  }
}
