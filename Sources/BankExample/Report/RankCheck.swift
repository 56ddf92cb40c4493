import Foundation

/// Checks by the recorded times that a plan ran by rank: the last round of each step after those of lower ranks, and never
/// two ranks at once.
enum RankCheck {
  struct Step: Hashable, Sendable {
    var name: String
    var rank: Int
    /// How often the step was begun with this job, from 1; 0: an event's job.
    var round = 1
    /// Both times are by the coordinator's clock; nil when the job did not run.
    var started: Date?
    var finished: Date?
  }

  static func holds(_ jobs: [Step]) -> Bool { isComplete(jobs) && isOneRankAtATime(jobs) && isByRank(jobs) }

  private static func isComplete(_ jobs: [Step]) -> Bool {
    jobs.allSatisfy { $0.started != nil && $0.finished != nil }
  }

  private static func isOneRankAtATime(_ jobs: [Step]) -> Bool {
    let sorted = jobs.sorted { ($0.started ?? .distantPast) < ($1.started ?? .distantPast) }
    return zip(sorted, sorted.dropFirst()).allSatisfy { earlier, later in
      earlier.rank == later.rank || (earlier.finished ?? .distantFuture) <= (later.started ?? .distantPast)
    }
  }

  private static func isByRank(_ jobs: [Step]) -> Bool {
    let steps = Dictionary(grouping: jobs.filter { $0.round > 0 }, by: \.name)
    let last = steps.values.compactMap { $0.max { $0.round < $1.round } }.sorted { $0.rank < $1.rank }
    return zip(last, last.dropFirst()).allSatisfy { earlier, later in
      earlier.rank == later.rank || (earlier.started ?? .distantFuture) <= (later.started ?? .distantPast)
    }
  }
}
