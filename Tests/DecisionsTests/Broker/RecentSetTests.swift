import Testing

@testable import Decisions

@Suite("A set of recent values")
struct RecentSetTests {
  @Test("knows the last ones, and forgets older ones")
  func forgets() {
    var set = RecentSet<Int>(limit: 3)
    #expect((0..<6).allSatisfy { set.insert($0) })
    #expect((3..<6).allSatisfy { !set.insert($0) })
    _ = set.insert(6)
    #expect(!set.insert(6) && set.insert(0))
  }
}
