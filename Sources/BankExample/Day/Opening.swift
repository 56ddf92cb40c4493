import Foundation
import Teller

/// How the bank opens: by the plan in `teller.yaml`, which this program knows by its name alone. The steps, their order and
/// the doors that stay shut until then are data there.
enum Opening {
  static let plan: PlanName = "opening"
  /// The event that the plan receives at any time.
  static let push: EventName = "push"
  /// The command that closes the bank. Only an operator may give it.
  static let stop = "teller plan stop \(plan) --gates keep"
  /// How long each step takes.
  static let stepTime: Duration = .milliseconds(100)

  /// What every step of the plan is given.
  static func payload(at pace: Pace) -> JSONValue {
    .object(["milliseconds": .int(Int64(pace.milliseconds(stepTime)))])
  }

  /// What a push is given.
  static func page(_ name: String) -> JSONValue { .object(["page": .string(name)]) }
}

/// The opening as it was recorded, for the report.
struct OpeningRecord: Hashable, Sendable, Encodable {
  var steps: Int
  /// Whether the steps ran by rank, and no two ranks at once.
  var byRank: Bool
  /// How many jobs ran again because the plan went back.
  var ranAgain: Int
  /// The optional steps that failed, and that the plan passed over.
  var passedOver: [String]
  /// How many pushes were acted on.
  var pushes: Int
}

extension OpeningRecord {
  /// `times`: when each job of the plan ran.
  init(_ plan: PlanDetails, _ times: [JobID: JobRecord]) {
    let jobs = plan.steps.map { step in
      RankCheck.Step(
        name: step.name, rank: step.rank, round: step.round, started: step.job.flatMap { times[$0]?.started },
        finished: step.job.flatMap { times[$0]?.finished })
    }
    let steps = plan.steps.filter { !$0.isEvent }
    self.init(
      steps: Set(steps.map(\.name)).count, byRank: RankCheck.holds(jobs), ranAgain: steps.count { $0.round > 1 },
      passedOver: steps.filter { !$0.isRequired && $0.state == .failed }.map(\.name),
      pushes: plan.steps.count { $0.isEvent && $0.state == .succeeded })
  }
}
