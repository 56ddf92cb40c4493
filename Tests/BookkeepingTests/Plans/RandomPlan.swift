import Decisions
import JobModel
import TestSupport

@testable import BooksSupport

/// A random plan that has no problems, and what may happen to it.
struct RandomPlan {
  var random: SeededRandom
  let definition: PlanDefinition

  static let name: PlanName = "opening"
  /// How often the steps are tried.
  static let attempts = 2

  init(_ random: SeededRandom) {
    var random = random
    var steps = (0..<Int.random(in: 1...6, using: &random)).map { index in
      PlanStep(
        name: "step \(index)", kind: "step", rank: Int.random(in: 1...4, using: &random),
        isRequired: Int.random(in: 0..<3, using: &random) > 0, attempts: RandomPlan.attempts)
    }
    for index in steps.indices where Int.random(in: 0..<3, using: &random) == 0 {
      let earlier = steps.filter { $0.isRequired && $0.rank < steps[index].rank }
      guard let from = earlier.randomElement(using: &random) else { continue }
      steps[index].reentry = Reentry(
        on: "expired", from: from.name, atMost: Int.random(in: 1...2, using: &random))
    }
    let events = (0..<Int.random(in: 0...2, using: &random)).map { index in
      PlanEvent(
        index == 0 ? "push" : "link", rank: Int.random(in: 1...5, using: &random), kind: "step",
        whenOpen: Bool.random(using: &random) ? .run : .announce)
    }
    definition = PlanDefinition(
      name: RandomPlan.name, department: "init", steps: steps.shuffled(using: &random), events: events,
      gates: ["work"])
    self.random = random
  }

  /// What happens next.
  enum Move {
    case start(JobID)
    case end(JobID, AttemptResult)
    case tick
    case event(JobID, EventName)
    case accept(JobID)
    case stop(GateChoice)
    case restart
  }

  mutating func move(_ model: PlanModel, _ sent: [JobID: EventName]) -> Move? {
    var moves: [Move] = []
    for row in model.released { moves += Array(repeating: .end(row.job.id, result(of: row, model)), count: 8) }
    if model.phase.mayStart, model.run == nil || Int.random(in: 0..<3, using: &random) == 0 {
      moves += [.start(JobID()), .start(JobID())]
    }
    if !model.waiting.isEmpty { moves += [.tick, .tick] }
    if let event = definition.events.randomElement(using: &random), sent.count < 4 {
      moves += [.event(JobID(), event.name)]
    }
    if let again = sent.randomElement(using: &random) { moves.append(.event(again.key, again.value)) }
    for (id, state) in model.events where state == .announced { moves += [.accept(id), .accept(id)] }
    if Int.random(in: 0..<12, using: &random) == 0 {
      moves.append(.stop(GateChoice.allCases.randomElement(using: &random) ?? .keep))
    }
    if Int.random(in: 0..<4, using: &random) == 0 { moves.append(.restart) }
    return moves.randomElement(using: &random)
  }

  private mutating func result(of row: PlanModel.Row, _ model: PlanModel) -> AttemptResult {
    let code = row.job.isEvent ? nil : model.rules.step(row.job.name)?.reentry?.code
    switch Int.random(in: 0..<10, using: &random) {
    case 0: return .failed(JobFailure(code: "hopeless", message: "it cannot be"), isPermanent: true)
    case 1: return .failed(JobFailure(code: PlanModel.passing, message: "it broke"), isPermanent: false)
    case 2...4: return code.map { .failed(JobFailure(code: $0, message: "again"), isPermanent: false) } ?? .done
    default: return .done
    }
  }
}
