import Testing
import TestSupport

@testable import JobModel

@Suite("Standing and order")
struct StandingTests {
  let delta = Standing.levelWorth.milliseconds

  func standing(_ milliseconds: Int64, _ priority: Priority) -> Standing {
    Standing(readyAt: Timestamp(milliseconds: milliseconds), priority: priority)
  }

  @Test("of two that came together the more urgent goes first")
  func urgent() {
    #expect(standing(1_000, 5) < standing(0, 4))
    #expect(standing(1_000, 9) < standing(1_000, 0))
  }

  @Test("of two of one priority the earlier goes first")
  func earlier() {
    #expect(standing(0, 4) < standing(1, 4))
  }

  @Test("one level is worth ten minutes, and no more")
  func worth() {
    #expect(Standing.levelWorth == .seconds(600))
    #expect(standing(0, 4) == standing(delta, 5))
    #expect(standing(0, 4) < standing(delta + 1, 5))
    #expect(standing(delta - 1, 5) < standing(0, 4))
  }

  @Test("a job that is moved stands where it would have stood with the new priority from the beginning")
  func moved() {
    for (old, new) in [(3, 7), (7, 3), (0, 9), (4, 4)].map({ (Priority($0.0) ?? .normal, Priority($0.1) ?? .normal) }) {
      #expect(standing(5_000, old).moved(from: old, to: new) == standing(5_000, new))
    }
  }

  @Test("nothing waits behind what came nine levels' worth later")
  func starvation() {
    #expect(standing(0, 0) < standing(9 * delta + 1, 9))
  }

  @Test("a job is released with its own priority, and one level more for each level's worth of waiting")
  func aged() {
    let standing = standing(5_000, 2)
    func priority(after waited: Int64) -> Priority {
      standing.agedPriority(at: Timestamp(milliseconds: 5_000 + waited))
    }
    #expect(priority(after: 0) == 2)
    #expect(priority(after: delta - 1) == 2)
    #expect(priority(after: delta) == 3)
    #expect(priority(after: 7 * delta) == 9)
    #expect(priority(after: 1_000 * delta) == 9)
  }

  @Test("a clock that goes back never takes a priority below 0, and a worth of nothing makes all equal")
  func agedBounds() {
    #expect(standing(10 * delta, 1).agedPriority(at: Timestamp(milliseconds: 0)) == 0)
    #expect(standing(0, 1).agedPriority(at: Timestamp(milliseconds: 0), worth: .zero) == 9)
  }

  @Test("aging goes by the worth the standing was made with")
  func agedByWorth() {
    let worth = Duration.seconds(60)
    let standing = Standing(readyAt: Timestamp(milliseconds: 0), priority: 4, worth: worth)
    #expect(standing.agedPriority(at: Timestamp(milliseconds: 119_999), worth: worth) == 5)
    #expect(standing.agedPriority(at: Timestamp(milliseconds: 120_000), worth: worth) == 6)
  }

  @Test("an ordered department goes by plan, then rank, then position")
  func orderKey() {
    let keys = [
      OrderKey(plan: 1, rank: 1, position: 0), OrderKey(plan: 1, rank: 1, position: 2),
      OrderKey(plan: 1, rank: 2, position: 1), OrderKey(plan: 2, rank: 1, position: 0),
    ]
    #expect(keys.shuffled().sorted() == keys)
  }

  @Test("order keys compare as one total order")
  func totalOrder() {
    var random = SeededRandom(for: "order keys")
    for _ in 0..<500 {
      let keys = (0..<3).map { _ in key(using: &random) }
      let relations = [keys[0] < keys[1], keys[1] < keys[0], keys[0] == keys[1]]
      #expect(relations.count { $0 } == 1)
      if keys[0] < keys[1], keys[1] < keys[2] { #expect(keys[0] < keys[2]) }
    }
  }

  private func key(using random: inout SeededRandom) -> OrderKey {
    let plan = Int64.random(in: 0...2, using: &random)
    let rank = Int.random(in: 0...2, using: &random)
    return OrderKey(plan: plan, rank: rank, position: Int.random(in: 0...2, using: &random))
  }
}
