import Foundation
import HostingSupport
import JobModel
import Teller
import TestSupport
import Testing

@testable import TellerPage

/// People come and go without a restart of the page.
@Suite("The file of tokens, read again", .timeLimit(.minutes(10)))
struct TokenFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func settings() throws -> PageSettings {
    var settings = PageStage.settings
    settings.tokens = try People.file(in: folder)
    return settings
  }

  private func write(_ lines: String...) throws {
    _ = try People.write(lines.joined(separator: "\n"), in: folder)
  }

  @Test("counts at each sign-in: a new token lets in, one that is gone does not, and its sessions have ended")
  func signIn() async throws {
    try await PageStage.serving(try settings()) { browser in
      let (anna, otto) = (try await browser.signedIn(People.anna), try await browser.signedIn(People.otto))
      let token = #"{"token":"a-token-of-eve"}"#
      #expect(try await browser.post("/api/sign-in", token).status == 401)
      try write(People.line("anna", "operator", People.anna), People.line("eve", "viewer", "a-token-of-eve"))
      #expect(try await otto.get("/api/status").code == "no_broker", "nobody has read the file since")
      let eve = try await browser.signedIn("a-token-of-eve")
      #expect(try await eve.get("/api/me").object?["name"] as? String == "eve")
      #expect(try await otto.get("/api/status").status == 401)
      #expect(try await browser.post("/api/sign-in", #"{"token":"\#(People.otto)"}"#).status == 401)
      #expect(try await anna.get("/api/status").code == "no_broker", "her token is still there")
    }
  }

  @Test("ends the sessions of tokens that are gone as soon as the page is told to read it")
  func reload() async throws {
    let page = try PageServer(
      PageStage.idleClient, try settings(), source: PlayedSource(), logger: PageStage.quiet)
    try await PageStage.serving(page) { browser in
      let (anna, otto) = (try await browser.signedIn(People.anna), try await browser.signedIn(People.otto))
      try write(People.line("otto", "viewer", People.otto))
      #expect(try await anna.get("/api/status").code == "no_broker", "nobody has read the file since")
      page.reload()
      #expect(try await anna.get("/api/status").status == 401)
      #expect(try await otto.get("/api/status").code == "no_broker")
    }
  }

  @Test("leaves everything as it was while it cannot be used, and says each reason once")
  func unusable() throws {
    let (log, path) = (ServiceLog(), try People.file(in: folder))
    let file = try TokenFile(path, logger: log.logger)
    #expect(!file.read().isNew && log.lines.isEmpty, "\(log.lines)")
    func expectKept(_ reasons: Int) {
      for _ in 1...3 {
        let (tokens, isNew) = file.read()
        #expect(!isNew && tokens.person(of: People.anna)?.name == "anna")
      }
      #expect(log.lines.count { $0.contains("the tokens stay as they were") } == reasons, "\(log.lines)")
    }
    try write("anna king", "")
    expectKept(1)
    try FileManager.default.removeItem(atPath: path)
    expectKept(2)
    try write(People.line("eve", "viewer", "a-token-of-eve"))
    let (tokens, isNew) = file.read()
    #expect(isNew && tokens.person(of: "a-token-of-eve")?.name == "eve" && tokens.person(of: People.anna) == nil)
    #expect(log.lines.last?.contains("the tokens of \(path) have changed") == true, "\(log.lines)")
    #expect(!log.lines.joined().contains("a-token-of-eve"))
  }
}
