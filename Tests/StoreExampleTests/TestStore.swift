import Foundation
import Synchronization
import SystemSupport
import Teller
import TellerTesting
import TestSupport

@testable import StoreExample

/// A store in the test's process: a shop over HTTP, a coordinator, a worker, and a folder of pictures.
struct TestStore: Sendable {
  var system: TestSystem
  var shop: ShopClient
  var cache: PictureCache
  var broker: String

  /// Runs a body in a store whose departments have so many tellers each.
  static func run(
    _ server: ShopServer = ShopServer(books: ShopBooks()), tellers: Int = 4,
    _ body: @escaping @Sendable (TestStore) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let cache = PictureCache(folder: folder.url.appending(path: "pictures"))
    try cache.open()
    let broker = try await BrokerNode.shared.makeVirtualHost()
    try await server.run { address in
      let shop = ShopClient(address: address, limit: patience)
      try await TellerTesting.withSystem(
        serving: { client in
          let all = StoreStaff(shop: shop, cache: cache).handlers(client)
          let isOrder = { (handler: any JobHandler) in type(of: handler).kind == PlaceOrder.kind }
          return ["shop": all.filter { !isOrder($0) }, "orders": all.filter(isOrder)]
        }, on: broker, tellers: tellers
      ) { try await body(TestStore(system: $0, shop: shop, cache: cache, broker: broker)) }
    }
    withExtendedLifetime(folder) {}
  }
}

/// Keeps the notices.
final class NoticeBook: Display {
  private let all = Mutex<[Notice]>([])
  var notices: [Notice] { all.withLock(\.self) }
  func show(_ notice: Notice, _ picture: ScreenPicture) { all.withLock { $0.append(notice) } }
  func close() {}
}
