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
  /// The kind of events that have to begin in time.
  static let hurried: JobKind = "prompt"
  /// Passes with every tick of the clock.
  static let startWithin: Duration = .seconds(300)
  private static let ranks = 1...5

  init(_ random: SeededRandom) {
    var random = random
    var steps = (0..<Int.random(in: 1...6, using: &random)).map { index in
      PlanStep(
        name: "step \(index)", kind: "step", rank: Int.random(in: 1...4, using: &random),
        isRequired: Int.random(in: 0..<3, using: &random) > 0, attempts: RandomPlan.attempts,
        startWithin: Int.random(in: 0..<4, using: &random) == 0 ? RandomPlan.startWithin : nil)
    }
    for index in steps.indices where Int.random(in: 0..<3, using: &random) == 0 {
      let earlier = steps.filter { $0.isRequired && $0.rank < steps[index].rank }
      guard let from = earlier.randomElement(using: &random) else { continue }
      steps[index].reentry = Reentry(
        on: "expired", from: from.name, atMost: Int.random(in: 1...2, using: &random))
    }
    let events = (0..<Int.random(in: 0...2, using: &random)).map { index in
      PlanEvent(
        index == 0 ? "push" : "link", rank: Int.random(in: RandomPlan.ranks, using: &random),
        kind: Int.random(in: 0..<4, using: &random) == 0 ? RandomPlan.hurried : "step",
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
    case dismiss(JobID)
    case stop(GateChoice)
    case cancel(JobID)
    case reset
    case rerank(JobID, Int)
    case pause(Bool)
    case restart
  }

  /// What happens next.
  ///
  /// - Parameters:
  ///   - model: where the plan stands.
  ///   - sent: the events that have come.
  /// - Returns: nil: nothing more can happen.
  mutating func move(_ model: PlanModel, _ sent: [(id: JobID, name: EventName)]) -> Move? {
    var moves: [Move] = []
    for row in model.released { moves += Array(repeating: .end(row.job.id, result(of: row, model)), count: 6) }
    if model.phase.mayStart, model.run == nil || chance(1, of: 3) { moves += [.start(newID()), .start(newID())] }
    if !model.waiting.isEmpty { moves += [.tick, .tick] }
    if chance(1, of: 6) { moves.append(.tick) }
    moves += eventMoves(model, sent) + operatorsMoves(model)
    if chance(1, of: 4) { moves.append(.restart) }
    return moves.randomElement(using: &random)
  }

  private mutating func eventMoves(_ model: PlanModel, _ sent: [(id: JobID, name: EventName)]) -> [Move] {
    var moves: [Move] = []
    if let event = definition.events.randomElement(using: &random), sent.count < 6 {
      moves += Array(repeating: .event(newID(), event.name), count: 2)
    }
    if let again = sent.randomElement(using: &random) { moves.append(.event(again.id, again.name)) }
    for (id, _) in sent where model.events[id] == .announced { moves += [.accept(id), .accept(id)] }
    if let (id, _) = sent.randomElement(using: &random), chance(1, of: 4) { moves.append(.dismiss(id)) }
    return moves
  }

  private mutating func operatorsMoves(_ model: PlanModel) -> [Move] {
    var moves: [Move] = []
    if chance(1, of: model.phase == .open ? 3 : 12) {
      moves.append(.stop(GateChoice.allCases.randomElement(using: &random) ?? .keep))
    }
    if model.isPaused {
      moves += [.pause(false), .pause(false)]
    } else if chance(1, of: 4) {
      moves.append(.pause(true))
    }
    guard let row = model.unfinished.randomElement(using: &random) else { return moves }
    if chance(1, of: 6) { moves.append(.reset) }
    if chance(1, of: 2) { moves.append(.cancel(row.job.id)) }
    moves += Array(repeating: .rerank(row.job.id, Int.random(in: RandomPlan.ranks, using: &random)), count: 3)
    return moves
  }

  /// The same of each seed.
  private mutating func newID() -> JobID { JobID(version7: Timestamp(milliseconds: 0), using: &random) }

  private mutating func chance(_ times: Int, of all: Int) -> Bool { Int.random(in: 0..<all, using: &random) < times }

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

extension RandomPlan: CustomStringConvertible {
  var description: String {
    let steps = definition.steps.map { step in
      let reentry = step.reentry.map { ", back to \($0.from), \($0.atMost) times" } ?? ""
      let isHurried = step.startWithin != nil
      return
        "\(step.name) (\(step.rank)\(step.isRequired ? "" : ", optional")\(isHurried ? ", hurried" : "")\(reentry))"
    }
    let events = definition.events.map { "event \($0.name) (\($0.rank), \($0.whenOpen), \($0.kind))" }
    return (steps + events).joined(separator: ", ")
  }
}
