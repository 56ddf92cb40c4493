import JobModel
import Processes
import TellerHealth
import Testing

@testable import Webhooks

@Suite("The descriptors of deliveries")
struct DescriptorShareTests {
  /// What is kept for the rest of the process: the reserve, the event loops, the worker, and three for each look-up.
  private func others(_ receivers: Int, limit: Int) -> Int {
    Descriptors.reserve(of: limit) + ServerResources.descriptors + DescriptorShare.ofWorker + 3 * receivers
  }

  @Test("are shared by all receivers: each has one at least, none more than it wants, and together what is there")
  func shares() throws {
    let numbers = [1, 2, 4, 7, 100]
    for limit in [32, 64, 256, 1_024, 1_000_000] {
      for counts in numbers.flatMap({ a in numbers.flatMap { b in numbers.map { [a, b, $0] } } }) {
        let wanted: [Department: Int] = ["webhook-a": counts[0], "webhook-b": counts[1], "webhook-c": counts[2]]
        let (sum, others) = (counts.reduce(0, +), others(3, limit: limit))
        for room in Set([3, 4, sum / 2, sum - 1, sum, sum + 1]) where room >= 3 {
          let tellers = try DescriptorShare(left: (others + room, limit)).tellers(wanted)
          #expect(tellers.allSatisfy { 1...(wanted[$0] ?? 0) ~= $1 } && tellers.count == 3)
          let given = tellers.values.reduce(0, +)
          // No more than two are lost by rounding down.
          #expect(given <= room && given >= min(sum, room) - 2, "\(counts) in \(room): \(tellers)")
          if room >= sum { #expect(tellers == wanted) }
        }
      }
    }
  }

  @Test("are too few where not every receiver has one, which is told with what to do")
  func tooFew() throws {
    let wanted: [Department: Int] = ["webhook-a": 100, "webhook-b": 1]
    let needed = others(2, limit: 64) + 2
    let error = try #require(throws: TooFewDescriptors.self) {
      try DescriptorShare(left: (needed - 1, 64)).tellers(wanted)
    }
    #expect(error.needed == needed)
    #expect("\(error)".contains("are left of 64, and \(needed) are needed; raise the limit"))
    #expect(try DescriptorShare(left: (needed, 64)).tellers(wanted) == ["webhook-a": 1, "webhook-b": 1])
  }
}
