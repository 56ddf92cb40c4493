package import Foundation

/// Looks for the shortest schedule that still breaks the same promise: acts are left out, many at once, then one by one.
package struct Shrinking {
  /// How many schedules are tried at most.
  package static let limit = 300

  private let seed: UInt64
  private let folder: URL
  private let promise: String
  private var tries = 0
  private var skipped: Set<Int> = []

  package init(_ verdict: Verdict, in folder: URL) {
    (seed, self.folder) = (verdict.seed, folder)
    promise = verdict.violations.keys.min() ?? ""
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
    return (skipped, try await Schedule.run(seed: seed, in: folder, skipping: skipped, isTraced: true))
  }

  private mutating func fails(skipping: Set<Int>) async throws -> Bool {
    guard tries < Shrinking.limit else { return false }
    tries += 1
    return try await Schedule.run(seed: seed, in: folder, skipping: skipping).violations[promise] != nil
  }
}
