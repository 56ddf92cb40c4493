import Foundation
import TestSupport
import Testing

@testable import Simulator

@Suite("The shortest schedule that breaks a promise")
struct ShrinkingTests {
  private static let promise = "a promise"

  private static func verdict(isBroken: Bool) -> Verdict {
    var verdict = Verdict(seed: 1)
    if isBroken { verdict.violations = [promise: ["it is broken"]] }
    return verdict
  }

  /// Looks for the shortest of so many acts, where these together break the promise.
  private func shrink(_ acts: Int, needed: Set<Int>) async throws -> (skipped: Set<Int>, plays: Int) {
    var plays = 0
    var shrinking = Shrinking(Self.verdict(isBroken: true)) { skipping, _ in
      plays += 1
      return Self.verdict(isBroken: skipping.isDisjoint(with: needed))
    }
    let (skipped, shortest) = try await shrinking.shortest(of: acts)
    #expect(!shortest.holds, "what is shown breaks the promise")
    return (skipped, plays)
  }

  @Test(
    "only the acts that are needed are left, wherever they are",
    arguments: [[3, 17], [0, 39], [20], [], [0, 1, 2, 3]] as [Set<Int>])
  func shortens(needed: Set<Int>) async throws {
    #expect(try await shrink(40, needed: needed).skipped == Set(0..<40).subtracting(needed))
  }

  @Test("it ends after so many schedules, with the shortest one so far")
  func ends() async throws {
    let (skipped, plays) = try await shrink(1000, needed: Set(stride(from: 0, to: 1000, by: 2)))
    #expect(plays == Shrinking.limit + 1 && skipped.allSatisfy { $0 % 2 == 1 })
  }

  @Test("a schedule that holds all promises gets no shorter, and its trace is shown")
  func real() async throws {
    let folder = try TemporaryFolder()
    var verdict = Verdict(seed: 1)
    verdict.violations = ["no such promise": ["it is broken"]]
    var shrinking = Shrinking(verdict, in: folder.url.appending(path: "schedule"))
    let (skipped, shortest) = try await shrinking.shortest(of: 4)
    #expect(skipped.isEmpty && !shortest.trace.isEmpty)
  }
}
