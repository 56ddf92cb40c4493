import Foundation
import HTTPSupport
import TestSupport
import Testing

@testable import StoreExample

@Suite("A request to the shop", .timeLimit(.minutes(5)))
struct ShopClientTests {
  /// Has something asked of a server that answers with that status.
  private func ask(_ status: String, _ expect: (ShopClient) async throws -> Void) async throws {
    let answer = "HTTP/1.1 \(status) Odd\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
    try await withReceiver(.answers(answer)) { receiver in
      let address = try #require(URL(string: "http://127.0.0.1:\(receiver.port)"))
      try await expect(ShopClient(address: address, limit: patience))
      #expect(receiver.requests.count == 2)
    }
  }

  @Test(
    "fails with the status that was answered, also where HTTP does not have it",
    arguments: ["404", "500", "099", "042", "001", "000"])
  func refused(status: String) async throws {
    let refusal = ShopError.refused(status: try #require(Int(status)))
    try await ask(status) { shop in
      await #expect(throws: refusal) { try await shop.sections() }
      await #expect(throws: refusal) { try await shop.say("text", id: "1", in: nil) }
    }
    #expect("\(refusal)".hasPrefix("the shop answers "))
  }

  @Test("fails where the answer is none of HTTP", arguments: ["99", "0", "1000", "-1", "ok"])
  func noAnswer(status: String) async throws {
    try await ask(status) { shop in
      await #expect(throws: (any Error).self) { try await shop.sections() }
      await #expect(throws: (any Error).self) { try await shop.say("text", id: "1", in: nil) }
    }
  }
}
