import HTTPSupport
import Testing

@testable import TellerCLI

@Suite("A question to the management API", .timeLimit(.minutes(5)))
struct ManagementStatusTests {
  /// Asks a server that answers so.
  private func ask(_ answer: String, _ expect: (Management) async throws -> Void) async throws {
    try await withReceiver(.answers(answer)) { receiver in
      let address = try #require(ManagementAddress("http://127.0.0.1:\(receiver.port)"))
      try await expect(Management(address: address, user: "doctor", password: "secret"))
      #expect(receiver.requests.count == 1)
      #expect(receiver.requests.first?.hasPrefix("GET /api/nodes HTTP/1.1\r\n") == true)
    }
  }

  @Test("is answered")
  func answered() async throws {
    let head = "HTTP/1.1 200 OK\r\ndate: Sun, 29 Nov 2026 03:10:00 GMT\r\nconnection: close\r\ncontent-length: 2"
    try await ask("\(head)\r\n\r\n[]") { management in
      let (nodes, date) = try await management.get("/api/nodes", as: [ManagedNode].self)
      #expect(nodes.isEmpty && date != nil)
    }
  }

  @Test(
    "has words for an answer that is none, also for a status that HTTP does not have",
    arguments: [
      ("404", "/api/nodes: 404"), ("403", "the user doctor may not see /api/nodes"),
      ("099", "the status 99, which HTTP does not have"), ("042", "the status 42, which HTTP does not have"),
      ("000", "the status 0, which HTTP does not have"), ("99", "gives no answer"), ("0", "gives no answer"),
      ("1000", "gives no answer"), ("-1", "gives no answer"), ("ok", "gives no answer"),
    ])
  func noAnswer(status: String, words: String) async throws {
    try await ask("HTTP/1.1 \(status) Odd\r\nconnection: close\r\ncontent-length: 0\r\n\r\n") { management in
      let problem = try await #require(throws: Management.Problem.self) {
        _ = try await management.get("/api/nodes", as: [ManagedNode].self)
      }
      #expect(problem.text.contains(words), "\(problem.text)")
      #expect(!problem.text.contains("secret") && !problem.cure.isEmpty)
    }
  }
}
