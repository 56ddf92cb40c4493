import Foundation
import TestSupport
import Testing

@testable import TellerCLI

/// A real server, which takes one connection and then does as it was told.
@Suite("A management API that keeps the doctor waiting", .timeLimit(.minutes(10)))
struct SlowManagementTests {
  /// `drips`: it answers, and comes to no end. There is always a next byte soon: no limit of silence ends it.
  private static let server = #"""
    import socket, sys, time
    server = socket.create_server(("127.0.0.1", 0))
    print("listens at", server.getsockname()[1], flush=True)
    connection = server.accept()[0]
    if sys.argv[1] == "drips":
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n")
        while True:
            connection.sendall(b" ")
            time.sleep(0.05)
    sys.stdin.read()
    """#

  /// What the doctor finds there, without what to do.
  private static func findings(at text: String) async throws -> [String] {
    let address = try #require(ManagementAddress(text))
    var management = Management(address: address, user: "guest", password: "guest")
    management.patience = .milliseconds(500)
    let findings = await PolicyExamination(management: management, virtualHost: "/").findings()
    return findings.map { "\($0.state.rawValue) \($0.area.rawValue): \($0.text)" }
  }

  @Test("gives no answer, whether it is silent or its answer has no end", arguments: ["is silent", "drips"])
  func slow(manner: String) async throws {
    let server = try RunningProcess.launch(
      URL(filePath: "/usr/bin/env"), arguments: ["python3", "-c", Self.server, manner])
    let line = try await server.waitForLine(containing: "listens at ", within: patience)
    let port = try #require(line.split(separator: " ").last)
    let address = "http://127.0.0.1:\(port)"
    let found = try await limited("the doctor's limit") { try await Self.findings(at: address) }
    #expect(found == ["wrong policies: \(address) gives no answer"])
    try await server.close()
  }
}
