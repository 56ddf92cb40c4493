import Foundation
import Teller
import TestSupport
import Testing

@testable import StoreExample

@Suite("The screen of the shop", .timeLimit(.minutes(10)))
struct ScreenTests {
  @Test("changes are applied in order; one that was missed is fetched, a repeat dropped, a stale one refused")
  func order() async throws {
    let server = ShopServer(books: ShopBooks())
    try await server.run { address in
      let shop = ShopClient(address: address, limit: patience)
      let book = NoticeBook()
      let screen = ShopScreen(display: book, shop: shop)
      func reprice(_ cents: Int, from version: Int64) async throws -> SectionUpdate {
        let change = Repricing(product: "tea-1", cents: cents)
        let request = RepricingRequest(id: "\(cents)", madeFrom: version, change: change)
        return SectionUpdate(section: "tea", update: try await shop.reprice("tea", request))
      }
      let section = try await shop.section("tea")
      let first = try await reprice(110, from: 0)
      let stale = try await reprice(120, from: 0)
      let third = try await reprice(130, from: 1)
      #expect(try await reprice(130, from: 1) == third, "the same id is the same change")
      // Before the section is here: it waits.
      try await screen.receive(third)
      try await screen.show(section)
      try await screen.receive(first)
      try await screen.receive(stale)
      let seen = book.notices
      #expect(
        seen == [
          .section("tea", products: 4), .price("tea", product: "tea-1", cents: 110),
          .stale("tea", product: "tea-1", madeFrom: 0, present: 1), .price("tea", product: "tea-1", cents: 130),
        ])
      #expect(await screen.counts == ShopScreen.Counts(applied: 2, refused: 1, notices: 4))
      let shown = await screen.sections
      #expect(shown[0].products[0].cents == 130)
      #expect(shown[0].products == (try await shop.section("tea")).products)
    }
  }

  @Test("the line has three states, each with a colour, a word and a sign, and a notice for each change")
  func line() async {
    let book = NoticeBook()
    let screen = ShopScreen(display: book, shop: ShopClient(address: URL(filePath: "/")))
    #expect(LineState(answeredAfter: .milliseconds(3)) == .connected)
    #expect(LineState(answeredAfter: .seconds(2)) == .slow)
    #expect(LineState(.brokerBlocked(reason: "")) == .slow)
    #expect(LineState(.brokerUnavailable(reason: "")) == .lost)
    #expect(LineState(.noCoordinator(silentFor: .seconds(3))) == .lost)
    #expect(LineState(.closed) == nil)
    for state in [LineState.connected, .connected, .lost, .slow, .connected] { await screen.note(state) }
    #expect(book.notices == [.line(.connected), .line(.lost), .line(.slow), .line(.connected)])
    #expect(Set([LineState.connected, .slow, .lost].map(\.sign)).count == 3)
    #expect(Notice.line(.lost).text == "○ the line is lost: what is pressed now is sent later")
  }

  @Test("a frame has the line in its colour at the top, and no line is wider than the terminal")
  func frame() {
    let picture = ScreenPicture(line: .slow, sections: ShopBooks.goods())
    let frame = LiveView.frame(picture, ["tea: tea-1 costs 1.05 now"], width: 40)
    #expect(frame[0] == "\u{1B}[33m◐ slow · The store\u{1B}[0m")
    #expect(frame[1].hasPrefix("  tea  tea-1 1.00 · tea-2 2.00"))
    #expect(frame.last == "  · tea: tea-1 costs 1.05 now")
    #expect(frame.dropFirst().allSatisfy { $0.count < 40 })
    #expect(LiveView.frame(ScreenPicture(line: .lost), [], width: 10)[0] == "\u{1B}[31m○ lost · \u{1B}[0m")
  }
}
