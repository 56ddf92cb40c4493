import JobModel

@testable import BooksSupport

/// What has happened to random plans: it shows that nothing was left out.
struct PlanCounts {
  private(set) var all: [String: Int] = [:]

  /// What no test does without.
  static let needed = [
    "open", "failed", "stopped", "went back", "passed over", "event acted", "event acted while paused",
    "event dismissed", "too late",
    "step cancelled", "event cancelled", "reset", "held job moved", "released job moved",
  ]

  var missing: [String] { PlanCounts.needed.filter { all[$0] == nil } }

  private mutating func add(_ name: String) { all[name, default: 0] += 1 }

  /// What is about to happen.
  mutating func count(_ move: RandomPlan.Move, _ model: PlanModel) {
    switch move {
    case .cancel(let id): add(model.row(id)?.job.isEvent == true ? "event cancelled" : "step cancelled")
    case .rerank(let id, let rank):
      guard let row = model.row(id), row.job.rank != rank else { return }
      add(row.isReleased ? "released job moved" : "held job moved")
    case .reset: if !model.unfinished.isEmpty { add("reset") }
    case .event(let id, _):
      if model.events[id] == nil, model.isPaused, model.phase == .open { add("event acted while paused") }
    case .dismiss(let id): if [.announced, .kept].contains(model.events[id]) { add("event dismissed") }
    case .start, .end, .tick, .accept, .stop, .pause, .restart: break
    }
  }

  mutating func count(_ model: PlanModel) { add(model.phase.rawValue) }

  mutating func countEnds(of model: PlanModel) {
    for row in model.rows {
      if row.job.isEvent, row.job.state.isFinal { add("event acted") }
      if row.job.round > 1 { add("went back") }
      if row.job.code == JobFailure.Code.tooLate { add("too late") }
      let isOptional = model.rules.step(row.job.name)?.isRequired == false
      if isOptional, row.job.state == .failed || row.job.code == JobFailure.Code.cancelled, model.phase == .open {
        add("passed over")
      }
    }
  }
}
