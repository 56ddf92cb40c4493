package import Foundation

/// Looks for the shortest schedule that still breaks the same promise: acts are left out, many at once, then one by one.
package struct Shrinking {
  /// How many schedules are tried at most.
  package static let limit = 300

  /// Plays the schedule without these acts, with its trace or without it.
  typealias Play = (_ skipping: Set<Int>, _ isTraced: Bool) async throws -> Verdict

  private let promise: String
  private let play: Play
  private var tries = 0
  private var skipped: Set<Int> = []

  package init(_ verdict: Verdict, in folder: URL) {
    self.init(verdict) { skipping, isTraced in
      try await Schedule.run(seed: verdict.seed, in: folder, skipping: skipping, isTraced: isTraced)
    }
  }

  init(_ verdict: Verdict, play: @escaping Play) {
    promise = verdict.violations.keys.min() ?? ""
    self.play = play
  }

  /// - Returns: which acts are left out, and what the schedule without them has come to, with its trace.
  package mutating func shortest(of acts: Int) async throws -> (skipped: Set<Int>, verdict: Verdict) {
    var size = max(1, acts / 2)
    while tries < Shrinking.limit {
      let before = skipped.count
      for start in stride(from: 0, to: acts, by: size) {
        let more = Set(start..<min(acts, start + size)).subtracting(skipped)
        if !more.isEmpty, try await fails(skipping: skipped.union(more)) { skipped.formUnion(more) }
      }
      if size == 1, skipped.count == before { break }
      size = max(1, size / 2)
    }
    return (skipped, try await play(skipped, true))
  }

  private mutating func fails(skipping: Set<Int>) async throws -> Bool {
    guard tries < Shrinking.limit else { return false }
    tries += 1
    return try await play(skipping, false).violations[promise] != nil
  }
}
