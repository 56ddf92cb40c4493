import AsyncHTTPClient
import Foundation
import HummingbirdTLS
import NIOCore
import NIOHTTP1
import NIOPosix
import Teller
import TellerHealth
import TestSupport
import Testing

@testable import TellerPage

@Suite("The page's own encryption", .timeLimit(.minutes(10)))
struct EncryptionTests {
  @Test("a page with a certificate speaks TLS alone, and its cookies are for TLS")
  func encrypted() async throws {
    let (certificates, folder) = (try await Certificates(), try TemporaryFolder())
    var settings = PageStage.settings
    settings.tls = PageSettings.Encryption(
      certificate: certificates.path("server.pem"), key: certificates.path("server.key"))
    settings.tokens = try People.file(in: folder)
    try await PageStage.serving(settings) { browser in
      let page = "https://\(browser.address)"
      var request = HTTPClientRequest(url: page + "/api/sign-in")
      request.method = .POST
      request.headers.add(name: "content-type", value: "application/json")
      request.headers.add(name: "origin", value: page)
      request.body = .bytes(ByteBuffer(string: #"{"token":"\#(People.anna)"}"#))
      let client = Self.client(trusting: certificates.path("ca.pem"))
      let answer = try await client.execute(request, timeout: .seconds(120))
      #expect(answer.status == .noContent)
      #expect(answer.headers.first(name: "set-cookie")?.hasSuffix("; Secure") == true)
      try await client.shutdown()
      #expect(!(try await browser.raw("GET / HTTP/1.1\r\nHost: \(browser.address)\r\n\r\n")).contains("200 OK"))
    }
  }

  private static func client(trusting authority: String) -> HTTPClient {
    var configuration = HTTPClient.Configuration()
    configuration.tlsConfiguration = .clientDefault
    configuration.tlsConfiguration?.trustRoots = .file(authority)
    return HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
  }

  @Test("the files come from any editor", arguments: Editor.allCases)
  func editors(editor: Editor) async throws {
    let (certificates, folder) = (try await Certificates(), try TemporaryFolder())
    var settings = PageStage.settings
    let files = try ["server.pem", "server.key"].map { name in
      let text = try String(contentsOfFile: certificates.path(name), encoding: .utf8)
      let file = folder.appending(name)
      try Data(editor.save(text.split(separator: "\n").map(String.init))).write(to: file)
      return file.path
    }
    settings.tls = PageSettings.Encryption(certificate: files[0], key: files[1])
    _ = try PageServer(PageStage.idleClient, settings)
  }

  @Test("wrong files are told of before the page begins, and nothing of them is shown")
  func wrongFiles() async throws {
    let certificates = try await Certificates()
    var settings = PageStage.settings
    settings.tls = PageSettings.Encryption(
      certificate: certificates.path("server.key"), key: certificates.path("server.key"))
    let error = #expect(throws: ConfigurationError.self) { try PageServer(PageStage.idleClient, settings) }
    #expect(error?.description.contains("no certificates in PEM format") == true, "\(String(describing: error))")
    settings.tls = PageSettings.Encryption(
      certificate: certificates.path("server.pem"), key: certificates.path("server.pem"))
    #expect(throws: ConfigurationError.self) { try PageServer(PageStage.idleClient, settings) }
  }
}
