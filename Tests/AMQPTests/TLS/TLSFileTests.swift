import Foundation
import TestSupport
import Testing

@testable import AMQP

/// What is wrong with a file is said before anything is sent; a broker need not be there.
@Suite("The files of an encrypted connection", .timeLimit(.minutes(10)))
struct TLSFileTests {
  @Test("a file that is not there, or a folder, is named")
  func missing() async throws {
    let made = try await Certificates()
    let missing = made.path("nothing.pem")
    #expect(
      try await problem(made) { $0.caFile = missing }
        == .file(.authorities, path: missing, reason: "there is no such file"))
    let folder = NSTemporaryDirectory()
    #expect(
      try await problem(made) { $0.caFile = folder } == .file(.authorities, path: folder, reason: "it is a folder"))
    #expect(
      try await problem(made) { $0.certificateFile = missing }
        == .file(.certificate, path: missing, reason: "there is no such file"))
    #expect(
      try await problem(made) { $0.keyFile = missing } == .file(.key, path: missing, reason: "there is no such file"))
  }

  @Test("a file that hangs is named, after a few seconds")
  func hanging() async throws {
    let (made, folder) = (try await Certificates(), try TemporaryFolder())
    let pipe = folder.appending("pipe.pem").path
    try #require(mkfifo(pipe, 0o600) == 0)
    let reason = "it does not answer in time: a file system hangs, or nobody writes into a pipe"
    #expect(
      try await problem(made) { $0.caFile = pipe } == .file(.authorities, path: pipe, reason: reason))
  }

  @Test("a file that holds something else is named, and nothing of it is shown")
  func otherContent() async throws {
    let made = try await Certificates()
    let folder = try TemporaryFolder()
    let file = folder.appending("secret.txt")
    try Data("s3cret\n".utf8).write(to: file)
    for (part, change) in [
      (TLSProblem.File.authorities, { $0.caFile = file.path }), (.certificate, { $0.certificateFile = file.path }),
      (.key, { $0.keyFile = file.path }), (.key, { $0.keyFile = made.path("client.pem") }),
      (.certificate, { $0.certificateFile = made.path("client.key") }),
    ] as [(TLSProblem.File, (inout BrokerTLS) -> Void)] {
      let problem = try await problem(made, change)
      guard case .file(part, _, let reason) = problem else {
        Issue.record("\(problem)")
        continue
      }
      #expect(reason.contains("PEM"))
      #expect(!problem.description.contains("s3cret"))
    }
  }

  @Test("files come from any editor", arguments: Editor.allCases)
  func editors(editor: Editor) async throws {
    let made = try await Certificates()
    let folder = try TemporaryFolder()
    func saved(_ name: String) throws -> String {
      let text = try String(contentsOfFile: made.path(name), encoding: .utf8)
      let file = folder.appending(name)
      try Data(editor.save(text.split(separator: "\n").map(String.init))).write(to: file)
      return file.path
    }
    let tls = BrokerTLS(
      caFile: try saved("ca.pem"), certificateFile: try saved("client.pem"), keyFile: try saved("client.key"))
    #expect(tls.problems().isEmpty)
  }

  @Test("a key of another certificate is refused as such")
  func otherKey() async throws {
    let made = try await Certificates()
    #expect(
      try await problem(made) { $0.keyFile = made.path("server.key") }
        == .file(
          .key, path: made.path("server.key"),
          reason: "it is not the key of the certificate in \(made.path("client.pem"))"))
  }

  @Test("a key with a passphrase is refused, and nobody is asked for it")
  func lockedKey() async throws {
    let made = try await Certificates()
    let folder = try TemporaryFolder()
    let locked = folder.appending("locked.key").path
    let openssl = try RunningProcess.launch(
      URL(filePath: "/usr/bin/env"),
      arguments: [
        "openssl", "pkcs8", "-topk8", "-in", made.path("client.key"), "-out", locked, "-passout", "pass:throwaway",
      ])
    #expect(try await openssl.waitForExit(within: patience) == 0)
    #expect(
      try await problem(made) { $0.keyFile = locked }
        == .file(.key, path: locked, reason: "it needs a passphrase: give a key without one"))
  }

  @Test("a certificate without its key, and a key without its certificate, are half of a pair")
  func half() async throws {
    let made = try await Certificates()
    #expect(try await problem(made) { $0.keyFile = nil } == .halfOfPair)
    #expect(try await problem(made) { $0.certificateFile = nil } == .halfOfPair)
  }

  @Test("Deploy/tls makes keys that their owner alone can read, and overwrites nothing")
  func script() async throws {
    let made = try await Certificates()
    for name in ["ca", "server", "client"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: made.path("\(name).key"))
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
    let before = try Data(contentsOf: URL(filePath: made.path("ca.pem")))
    let (status, text) = try await made.makeAgain()
    #expect(status == 1 && text.contains("is there already"))
    #expect(try Data(contentsOf: URL(filePath: made.path("ca.pem"))) == before)
  }

  @Test("every problem says what to do", arguments: [TLSProblem.File.authorities, .certificate, .key])
  func advice(file: TLSProblem.File) {
    let text = TLSProblem.file(file, path: "/a", reason: "there is no such file").description
    #expect(text.contains("/a cannot be used: there is no such file. It is named in TELLER_BROKER_"))
  }

  /// With files that are right but for the change.
  private func problem(_ made: Certificates, _ change: (inout BrokerTLS) -> Void) async throws -> TLSProblem {
    var url = BrokerURL(isSecure: true, host: "localhost", port: 1)
    url.tls = BrokerTLS(
      caFile: made.path("ca.pem"), certificateFile: made.path("client.pem"), keyFile: made.path("client.key"))
    change(&url.tls)
    return try await Broker(url: url).problem()
  }
}
