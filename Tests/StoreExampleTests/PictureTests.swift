import Foundation
import Teller
import TellerTesting
import TestSupport
import Testing

@testable import StoreExample

@Suite("Pictures, each fetched once", .timeLimit(.minutes(10)))
struct PictureTests {
  @Test("a hundred pictures, each asked for five times at once, are a hundred downloads")
  func singleFlight() async throws {
    let server = ShopServer(books: ShopBooks())
    try await TestStore.run(server, tellers: 8) { store in
      let paths = (1...100).map { "/pictures/\($0).png" }
      let jobs = try (paths + paths + paths + paths + paths).shuffled().map(FetchPicture.submission)
      let handles = try await store.system.client.submit(contentsOf: jobs)
      for handle in handles {
        let picture = try await handle.value(timeout: .seconds(120))
        #expect(FileManager.default.fileExists(atPath: picture.file))
      }
      let counts = await server.books.downloadCounts
      #expect(counts.count == 100)
      #expect(counts.values.allSatisfy { $0 == 1 }, "\(counts.filter { $0.value > 1 })")
    }
  }

  @Test("a section waits for its pictures in its own department, which has one teller")
  func oneTeller() async throws {
    try await TestStore.run(tellers: 1) { store in
      let handles = try await ["tea", "cups", "cakes"].asyncMap {
        try await store.system.client.submit(FetchSection.self, .init(name: $0))
      }
      for handle in handles {
        let page = try await handle.value(timeout: .seconds(120))
        #expect(page.pictures.map(\.path) == page.section.products.map(\.picture).sorted())
      }
    }
  }
}

extension Sequence {
  fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await body(element)) }
    return values
  }
}

@Suite("The cache of pictures", .timeLimit(.minutes(10)))
struct PictureCacheTests {
  private func withCache(
    _ server: ShopServer = ShopServer(books: ShopBooks()), _ limits: PictureCache.Limits = .init(),
    _ body: @escaping @Sendable (PictureCache, ShopClient) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let cache = PictureCache(folder: folder.url, limits: limits)
    try cache.open()
    try await server.run { try await body(cache, ShopClient(address: $0, limit: patience)) }
    withExtendedLifetime(folder) {}
  }

  private static func files(_ cache: PictureCache) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: cache.folder.path)
  }

  @Test("a picture that is there is success, and not asked for again")
  func known() async throws {
    let server = ShopServer(books: ShopBooks())
    try await withCache(server) { cache, shop in
      let first = try await cache.fetch("/pictures/a.png", from: shop)
      #expect(try await cache.fetch("/pictures/a.png", from: shop) == first)
      #expect(await server.books.downloadCounts == ["a.png": 1])
      #expect(try Array(Data(contentsOf: first)) == ShopServer.dot)
      #expect(first.deletingLastPathComponent().lastPathComponent == cache.folder.lastPathComponent)
    }
  }

  @Test("what is too large, no picture, or not of the shop is refused, and leaves nothing behind")
  func refused() async throws {
    var large = ShopServer(books: ShopBooks())
    large.picture = Array(repeating: 7, count: 5_000)
    try await withCache(large, .init(pictureBytes: 4_999)) { cache, shop in
      await #expect(throws: PictureFailure.tooLarge("/pictures/a", 4_999)) {
        try await cache.fetch("/pictures/a", from: shop)
      }
      await #expect(throws: ShopError.notOfTheShop("//other/a")) { try await cache.fetch("//other/a", from: shop) }
      await #expect(throws: ShopError.refused(status: 404)) { try await cache.fetch("/nothing", from: shop) }
      let long = "/" + String(repeating: "x", count: PictureCache.longestPath)
      await #expect(throws: PictureFailure.badPath(long)) { try await cache.fetch(long, from: shop) }
      let left = try Self.files(cache)
      #expect(left.isEmpty)
    }
    var page = ShopServer(books: ShopBooks())
    page.pictureType = "text/html"
    try await withCache(page) { cache, shop in
      await #expect(throws: PictureFailure.noPicture("/pictures/a", "text/html")) {
        try await cache.fetch("/pictures/a", from: shop)
      }
      let left = try Self.files(cache)
      #expect(left.isEmpty)
    }
  }

  @Test("the pictures that were used longest ago make room, by their number and by their bytes")
  func bounded() async throws {
    let dot = ShopServer.dot.count
    for limits in [PictureCache.Limits(count: 2), .init(bytes: 2 * dot + 1)] {
      try await withCache(ShopServer(books: ShopBooks()), limits) { cache, shop in
        for (age, name) in [(30.0, "a"), (20, "b")] {
          let file = try await cache.fetch("/pictures/\(name)", from: shop)
          let used = Date(timeIntervalSinceNow: -age)
          try FileManager.default.setAttributes([.modificationDate: used], ofItemAtPath: file.path)
        }
        #expect(try cache.file(of: "/pictures/a") != nil, "it is used again")
        _ = try await cache.fetch("/pictures/c", from: shop)
        #expect(try cache.file(of: "/pictures/b") == nil)
        #expect(try cache.file(of: "/pictures/a") != nil)
        #expect(try cache.file(of: "/pictures/c") != nil)
      }
    }
  }

  @Test("what a dead worker has left behind goes when the next one opens the cache, and what is being written stays")
  func abandoned() throws {
    let folder = try TemporaryFolder()
    let cache = PictureCache(folder: folder.url)
    for (name, age) in [("old.download", 2 * PictureCache.abandonedAfter), ("new.download", 1)] {
      let file = folder.url.appending(path: name)
      try Data().write(to: file)
      let date = Date(timeIntervalSinceNow: -age)
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path)
    }
    try cache.open()
    #expect(try Self.files(cache) == ["new.download"])
  }
}
