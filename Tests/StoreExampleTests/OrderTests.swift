import ClientSupport
import Foundation
import SystemSupport
import Teller
import TellerTesting
import Testing
import TestSupport

@testable import StoreExample

@Suite("An order reaches the chat once", .timeLimit(.minutes(5)))
struct OrderTests {
  private static let order = PlaceOrder.Payload(
    number: "A-17", lines: [OrderLine(product: "tea-1", count: 2), OrderLine(product: "cups-2", count: 1)])
  private static let text = "Order A-17: 2 × tea-1, 1 × cups-2"

  @Test("pressed twice, and the answer of the chat is lost on its way")
  func twice() async throws {
    let server = ShopServer(books: ShopBooks())
    await server.books.loseAnswers(1)
    try await TestStore.run(server) { store in
      let presses = try [PlaceOrder.submission(Self.order), PlaceOrder.submission(Self.order)]
      #expect(presses[0].id != presses[1].id)
      let handles = try await store.system.client.submit(contentsOf: presses)
      for handle in handles { #expect(try await handle.value(timeout: patience).text == Self.text) }
      #expect(try await store.shop.messages() == [Self.text])
      #expect(await server.books.posts == 2, "the second attempt has the same id")
      // And much later.
      let again = try await store.system.client.submit(try PlaceOrder.submission(Self.order))
      #expect(try await again.value(timeout: patience).text == Self.text)
      #expect(await server.books.posts == 2)
    }
  }

  @Test("pressed, the line to the broker is cut, and pressed again on the next one")
  func cutLine() async throws {
    let server = ShopServer(books: ShopBooks())
    try await TestStore.run(server) { store in
      var url = try #require(URLComponents(string: store.broker))
      let proxy = try TCPProxy(to: UInt16(try #require(url.port)))
      defer { proxy.close() }
      url.port = Int(proxy.port)
      let configuration = try TellerConfiguration(broker: try #require(url.string))
      let client = try await TellerClient.connect(configuration, timeouts: .patient)
      let first = try await client.submit(try PlaceOrder.submission(Self.order))
      proxy.reset()
      let second = try await client.submit(try PlaceOrder.submission(Self.order))
      #expect(try await first.value(timeout: patience) == second.value(timeout: patience))
      await client.close()
      #expect(try await store.shop.messages() == [Self.text])
    }
  }
}
