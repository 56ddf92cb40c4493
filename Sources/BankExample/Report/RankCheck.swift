import Foundation

/// Checks by the recorded times that the steps of the opening ran one after another, lowest rank first.
enum RankCheck {
  struct Step: Hashable, Sendable {
    var rank: Int
    /// Both times are by the coordinator's clock; nil when the step did not run.
    var started: Date?
    var finished: Date?
  }

  static func holds(_ steps: [Step]) -> Bool {
    var last = Date.distantPast
    for step in steps.sorted(by: { $0.rank < $1.rank }) {
      guard let started = step.started, let finished = step.finished, started >= last else { return false }
      last = finished
    }
    return true
  }
}
