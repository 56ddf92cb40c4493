import JobModel
import TestSupport

@testable import JobTransport

/// Random plans, events and choices, within what the model allows.
extension SeededRandom {
  mutating func planName() -> PlanName { PlanName(name()) ?? "p" }
  mutating func eventName() -> EventName { EventName(name()) ?? "e" }

  mutating func plan() -> PlanSubmission {
    PlanSubmission(
      id: job(), definition: planDefinition(), submittedAt: maybe { $0.time() }, reply: maybe { $0.reply() },
      trace: trace(), headers: headers())
  }

  /// Only a plan with a name has events and gates.
  private mutating func planDefinition() -> PlanDefinition {
    let (steps, department) = (planSteps(), department())
    guard let name = maybe({ $0.planName() }) else { return PlanDefinition(department: department, steps: steps) }
    let events = Dictionary(list(0...3) { $0.planEvent() }.map { ($0.name, $0) }) { first, _ in first }
    let gates = Set(list(0...3) { $0.department() }).subtracting([department])
    return PlanDefinition(
      name: name, department: department, steps: steps, events: events.values.sorted { $0.name < $1.name },
      gates: gates.sorted())
  }

  private mutating func planSteps() -> [PlanStep] {
    var steps: [PlanStep] = []
    for index in 0..<Int.random(in: 1...5, using: &self) {
      var step = PlanStep(
        name: "\(index)\(text())", kind: kind(), rank: Int.random(in: 1...9, using: &self), payload: payload(),
        isRequired: chance(), attempts: maybe { Int.random(in: 1...100, using: &$0) }, timeout: maybe { $0.timeout() },
        startWithin: maybe { $0.timeout() })
      if let from = steps.first(where: { $0.isRequired && $0.rank < step.rank }) {
        step.reentry = maybe { Reentry(on: $0.name(), from: from.name, atMost: Int.random(in: 1...100, using: &$0)) }
      }
      steps.append(step)
    }
    return steps
  }

  /// A payload of null is the same as none.
  private mutating func payload() -> [UInt8]? { maybe { WireJSON.encodePlain(JSONValue.array([$0.json()])) } }

  mutating func planEvent() -> PlanEvent {
    PlanEvent(
      eventName(), rank: Int.random(in: 1...9, using: &self), kind: maybe { $0.kind() },
      whenOpen: chance() ? .run : .announce)
  }

  mutating func planStart() -> PlanStart {
    PlanStart(
      id: job(), plan: planName(), payload: payload(), submittedAt: maybe { $0.time() }, reply: maybe { $0.reply() },
      trace: trace(), headers: headers())
  }

  mutating func eventSubmission() -> EventSubmission {
    EventSubmission(
      id: job(), name: eventName(), plan: maybe { $0.planName() },
      content: JobContent(
        payload: payload() ?? [], contentType: WireJSON.contentType, trace: trace(), headers: headers()),
      submittedAt: maybe { $0.time() }, reply: maybe { $0.reply() })
  }

  mutating func eventChoice() -> EventChoice {
    EventChoice(chance() ? .accept : .dismiss, job(), reply: maybe { $0.reply() })
  }

  mutating func planPhase() -> PlanPhase {
    [.notStarted, .running, .open, .failed, .stopped][Int.random(in: 0..<5, using: &self)]
  }

  mutating func eventState() -> EventState {
    [.kept, .acted, .announced, .dismissed][Int.random(in: 0..<4, using: &self)]
  }
}
