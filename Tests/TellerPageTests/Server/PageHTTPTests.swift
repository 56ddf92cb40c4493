import Foundation
import JobModel
import NIOCore
import Teller
import TellerHealth
import TestSupport
import Testing

@testable import TellerPage

@Suite("The page over HTTP", .timeLimit(.minutes(10)))
struct PageHTTPTests {
  private func action(_ members: String = #""department":"front""#) -> String {
    #"{"form":"\#(UUID().uuidString)",\#(members)}"#
  }

  @Test("the document is at every address, with its files below it")
  func document() async throws {
    try await PageStage.serving { browser in
      for path in ["/", "/jobs", "/departments/front", "/plans/opening"] {
        let answer = try await browser.get(path)
        #expect(answer.status == 200, "\(path): \(answer)")
        #expect(answer.field("Content-Type") == "text/html; charset=utf-8")
        #expect(answer.field("Cache-Control") == "no-store")
      }
      let unknown = try await browser.get("/nothing")
      #expect(unknown.status == 404 && unknown.body.contains("<noscript>"))
      let page = try await browser.get("/").body
      let script = try #require(page.firstMatch(of: /src="([^"]+page\.js)"/)?.output.1)
      let file = try await browser.get(String(script))
      #expect(file.status == 200)
      #expect(file.field("Content-Type") == "text/javascript; charset=utf-8")
      #expect(file.field("Cache-Control") == "public, max-age=31536000, immutable")
      #expect(try await browser.get(String(script.replacing("/page.js", with: "/page.html"))).status == 404)
      #expect(
        try await browser.get(String(script.replacing(/\/assets\/\w+/, with: "/assets/0000000000000000"))).status == 404
      )
    }
  }

  @Test("every answer has the fields that keep other pages and other scripts out")
  func fields() async throws {
    try await PageStage.serving { browser in
      for path in ["/", "/nothing", "/api/me", "/api/nothing", "/assets/x"] {
        let answer = try await browser.get(path)
        for (name, value) in SecurityHeaders.all { #expect(answer.field(name) == value, "\(path): \(name)") }
      }
      let policy = try #require(try await browser.get("/").field("Content-Security-Policy"))
      for part in ["default-src 'none'", "frame-ancestors 'none'", "trusted-types teller-stream", "base-uri 'none'"] {
        #expect(policy.contains(part))
      }
      #expect(!policy.contains("unsafe"))
    }
  }

  @Test("who looks is local where nobody signs in")
  func local() async throws {
    try await PageStage.serving { browser in
      let answer = try await browser.get("/api/me")
      #expect(
        answer.body == #"{"name":"local","needs_sign_in":false,"payloads":true,"role":"operator","signed_in":false,"#
          + #""version":"0.1.0"}"#)
    }
  }

  @Test("another name than the page's own is refused: it may be made to point here by another site")
  func otherHost() async throws {
    try await PageStage.serving { browser in
      for host in ["evil.example", "127.0.0.1.evil.example", "0.0.0.0"] {
        for path in ["/", "/api/me", "/api/live"] {
          let answer = try await browser.get(path, ["Host: \(host)"])
          #expect(answer.status == 421, "\(host) \(path): \(answer)")
          #expect(answer.message.contains("--host"))
        }
        #expect(try await browser.post("/api/actions/reset", action(), ["Host: \(host)"]).status == 421)
      }
      #expect(try await browser.get("/api/me", ["Host: localhost:1"]).status == 200)
      let two = try await browser.raw(
        "GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
      #expect(!two.hasPrefix("HTTP/1.1 200"), "\(two)")
      let none = try await browser.raw("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
      #expect(!none.hasPrefix("HTTP/1.1 200"), "\(none)")
    }
  }

  @Test("a change of another page is refused, and told why")
  func otherOrigin() async throws {
    try await PageStage.serving { browser in
      let stranger = Browser(address: browser.address, fields: [])
      let own = "Origin: http://\(browser.address)"
      for fields in [
        [], ["Sec-Fetch-Site: cross-site"], ["Sec-Fetch-Site: same-site"], ["Sec-Fetch-Site: none"],
        ["Origin: http://evil.example"], ["Origin: null"], ["Origin: https://\(browser.address)"],
        ["Sec-Fetch-Site: cross-site", own],
      ] {
        let answer = try await stranger.post("/api/actions/pause", action(), fields)
        #expect(answer.status == 403 && answer.code == "forbidden", "\(fields): \(answer)")
        #expect(answer.message.contains("page"), "\(answer)")
      }
      // These are the page's own: they fail later, since nobody runs the client.
      for fields in [["Sec-Fetch-Site: same-origin"], [own]] {
        #expect(try await stranger.post("/api/actions/pause", action(), fields).code == "no_broker", "\(fields)")
      }
      for path in ["/api/me", "/api/status", "/api/live"] {
        #expect(try await stranger.get(path, ["Sec-Fetch-Site: cross-site"]).status == 403, "\(path)")
      }
      // A link on another page leads to the page.
      #expect(try await stranger.get("/jobs", ["Sec-Fetch-Site: cross-site"]).status == 200)
    }
  }

  @Test("a change is JSON: a form of another page cannot send that")
  func contentType() async throws {
    try await PageStage.serving { browser in
      for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx"] {
        let answer = try await browser.send("POST", "/api/actions/pause", ["Content-Type: \(type)"], action())
        #expect(answer.status == 415, "\(type): \(answer)")
      }
      #expect(try await browser.send("POST", "/api/actions/pause", [], action()).status == 415)
      let type = "Content-Type: Application/JSON; charset=utf-8"
      #expect(try await browser.send("POST", "/api/actions/pause", [type], action()).code == "no_broker")
    }
  }

  @Test("nothing changes by GET, and other methods are refused")
  func methods() async throws {
    try await PageStage.serving { browser in
      for name in Actions.all.keys.sorted() {
        #expect(try await browser.get("/api/actions/\(name)?department=front").status == 404, "\(name)")
      }
      for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"] {
        #expect(try await browser.send(method, "/api/actions/pause").status == 405, "\(method)")
      }
      #expect(try await browser.post("/", "{}").status == 405)
      let head = try await browser.send("HEAD", "/")
      #expect(head.status == 200 && head.body.isEmpty)
    }
  }

  @Test(
    "no path leads to a file that is not the page's",
    arguments: [
      "/assets/../../../etc/passwd", "/assets/..%2f..%2fetc%2fpasswd", "/..%2f..%2fetc/passwd", "//etc/passwd",
      "/assets//etc/passwd", "/assets/%00", "/api/../assets/x", "/assets/" + String(repeating: "../", count: 50),
    ])
  func traversal(path: String) async throws {
    try await PageStage.serving { browser in
      let answer = try await browser.get(path)
      #expect([400, 404].contains(answer.status), "\(answer)")
      #expect(!answer.text.contains("root:"))
    }
  }

  @Test("nothing of a request stands in the fields of its answer")
  func injection() async throws {
    var settings = PageStage.settings
    settings.prefix = "/jobs"
    try await PageStage.serving(settings) { browser in
      for path in [
        "/jobs?x=%0d%0aSet-Cookie:%20teller=x", "/jobs/%0d%0aX-Evil:%20y", "/jobs/api/jobs?kind=%0d%0aX-Evil:y",
        "/jobs/api/screens/a/b%0d%0aX-Evil:%20y",
      ] {
        let answer = try await browser.get(path)
        let head = answer.text.components(separatedBy: "\r\n\r\n")[0]
        #expect(!head.lowercased().contains("evil") && !head.contains("Set-Cookie"), "\(path): \(head)")
      }
      #expect(try await browser.get("/jobs").field("Location") == "/jobs/")
      #expect(try await browser.get("/").status == 404)
    }
  }

  @Test("a body that is too large is refused, also one that does not say its size, and the page goes on")
  func tooLarge() async throws {
    var settings = PageStage.settings
    settings.limits.thrownAway = 256 * 1024
    try await PageStage.serving(settings) { browser in
      let large = action(#""department":"\#(String(repeating: "x", count: 70_000))""#)
      let answer = try await browser.post("/api/actions/pause", large)
      #expect(answer.status == 413 && answer.code == "too_large", "\(answer)")
      let head =
        "POST /api/actions/pause HTTP/1.1\r\nHost: \(browser.address)\r\nSec-Fetch-Site: same-origin\r\n"
        + "Connection: close\r\n"
      let chunk = "10000\r\n" + String(repeating: "x", count: 65_536) + "\r\n"
      let chunked = try await browser.raw(
        head + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk + chunk + "0\r\n\r\n")
      #expect(chunked.isEmpty || chunked.contains(" 413 "), "\(chunked.prefix(200))")
      let endless = try await browser.raw(
        head + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
          + String(repeating: chunk, count: 64))
      #expect(!endless.contains(" 200 "))
      #expect(try await browser.get("/api/me").status == 200)
    }
  }

  @Test("a head that is too large, and garbage, are refused")
  func garbage() async throws {
    try await PageStage.serving { browser in
      let long = try await browser.get("/", ["X-Long: \(String(repeating: "x", count: 40_000))"])
      #expect(long.status != 200)
      #expect(!(try await browser.raw("\u{0}\u{1}nonsense\r\n\r\n")).contains("200 OK"))
      #expect(try await browser.get("/" + String(repeating: "a", count: 8_000)).status == 400)
      #expect(try await browser.get("/").status == 200)
    }
  }

  @Test("connections that wait for no answer make room for those that ask, also where they have asked before")
  func heldConnections() async throws {
    var settings = PageStage.settings
    settings.limits.connections = 8
    try await PageStage.serving(settings) { browser in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<20 {
          let channel = try await browser.connect()
          group.addTask {
            try await channel.executeThenClose { inbound, outbound in
              let request = "GET /api/me HTTP/1.1\r\nHost: \(browser.address)\r\n\r\n"
              try? await outbound.write(ByteBuffer(string: request))
              do { for try await _ in inbound {} } catch {}
            }
          }
        }
        for _ in 0..<20 { #expect(try await browser.get("/api/me").status == 200) }
        group.cancelAll()
      }
    }
  }

  @Test("who sends too many requests has to wait")
  func rate() async throws {
    var settings = PageStage.settings
    (settings.limits.requests, settings.limits.requestsPerSecond) = (5, 0.001)
    try await PageStage.serving(settings) { browser in
      for _ in 0..<5 { #expect(try await browser.get("/api/me").status == 200) }
      let answer = try await browser.get("/api/me")
      #expect(answer.status == 429 && answer.code == "too_many")
      #expect(answer.field("Retry-After").flatMap { Int($0) } ?? 0 > 1)
      #expect(try await browser.get("/").status == 200, "the document itself is not counted")
    }
  }

  @Test("a page that nobody may change refuses every action")
  func readOnly() async throws {
    var settings = PageStage.settings
    settings.isReadOnly = true
    try await PageStage.serving(settings) { browser in
      #expect(try await browser.get("/api/me").object?["role"] as? String == "viewer")
      for name in Actions.all.keys.sorted() {
        let answer = try await browser.post("/api/actions/\(name)", action())
        #expect(answer.status == 403 && answer.code == "forbidden", "\(name): \(answer)")
      }
    }
  }

  @Test("without a broker each question says so in a sentence")
  func noBroker() async throws {
    try await PageStage.serving { browser in
      for path in ["status", "board", "jobs", "plans", "workers", "schedules", "keys", "subscribers", "report"] {
        let answer = try await browser.get("/api/\(path)")
        #expect(answer.status == 503 && answer.code == "no_broker", "\(path): \(answer)")
        #expect(!answer.message.isEmpty)
      }
    }
  }

  @Test("wrong questions and actions are refused in words")
  func wrong() async throws {
    try await PageStage.serving { browser in
      for path in [
        "jobs?limit=0", "jobs?nothing=1", "jobs/x", "jobs?state=lost", "count", "keys/one", "operations/x",
        "status?a=b",
        "jobs?key=a", "plans/a%20b", "board?limit=1000", "live?department=a%20b", "rejected?limit=0",
      ] {
        let answer = try await browser.get("/api/\(path)")
        #expect(answer.status == 400 && answer.code == "invalid", "\(path): \(answer)")
      }
      for path in ["nothing", "jobs/\(JobID())/nothing", "actions/pause", "screens/a/b", ""] {
        #expect(try await browser.get("/api/\(path)").status == 404, "\(path)")
      }
      for (name, members) in [
        ("pause", #""department":"a b""#), ("pause", #""departmnt":"a""#), ("cancel", #""kind":"x","al":true"#),
        ("cancel", #""kind":"x","all":7"#), ("resize", #""department":"a","tellers":-1"#), ("rerank", #""job":"x""#),
        ("put-back", #""ids":[]"#), ("start-plan", #""plan":7"#),
      ] {
        let answer = try await browser.post("/api/actions/\(name)", action(members))
        #expect(answer.status == 400 && answer.code == "invalid", "\(name) \(members): \(answer)")
      }
      #expect(try await browser.post("/api/actions/nothing", action()).status == 404)
      #expect(try await browser.post("/api/actions/pause", #"{"department":"a"}"#).message.contains("form"))
      #expect(try await browser.post("/api/actions/pause", "{").status == 400)
      #expect(try await browser.post("/api/actions/cancel", action(#""departments":[]"#)).status == 400)
    }
  }
}
