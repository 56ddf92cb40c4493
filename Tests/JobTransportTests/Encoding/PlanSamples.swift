import AMQP
import JobModel
import TestSupport

@testable import JobTransport

/// What is sent about plans and events, with random values: the body, and the schema that it should have.
struct PlanSamples {
  var random: SeededRandom
  private let address = AnswerAddress(replyTo: "teller.reply.x", correlationID: nil)

  init(_ random: SeededRandom) { self.random = random }

  mutating func all() throws -> [WireSamples.Sample] { try submissions() + answers() }

  private mutating func submissions() throws -> [WireSamples.Sample] {
    [
      ("plan", try SubmissionCodec.encode(random.plan()).body),
      ("plan-start", try SubmissionCodec.encode(random.planStart()).body),
      ("event", try SubmissionCodec.encode(random.eventSubmission()).body),
      ("event-choice", SubmissionCodec.encode(random.eventChoice(), id: random.job()).body),
    ]
  }

  private mutating func answers() -> [WireSamples.Sample] {
    let event = event()
    let stop = PlanStop(
      plan: random.planName(), before: random.planPhase(), cancelledSteps: 3, gates: .cancel,
      departments: [random.department()], operations: [7])
    return [
      ("plans", AnswerCodec.encode(plans(), to: address).body),
      ("plan-details", AnswerCodec.encode(details(), to: address).body),
      ("events", AnswerCodec.encode(EventPage(events: [event], next: 7), to: address).body),
      ("event-status", AnswerCodec.encode(event, to: address).body),
      ("plan-stop", AnswerCodec.encode(stop, to: address).body),
    ]
  }

  private mutating func plans() -> PlanPage {
    let plan = PlanStatus(
      id: random.job(), name: random.planName(), phase: random.planPhase(), number: 7,
      department: random.department(), state: .failed, steps: 3, stepsDone: 2, acceptedAt: random.time(),
      finishedAt: random.time())
    return PlanPage(plans: [plan], notStarted: [random.planName()], stopped: [random.planName()], next: 7)
  }

  private mutating func details() -> PlanDetails {
    let step = PlanDetails.Step(
      name: random.text(), rank: 4, round: Int.random(in: 0...2, using: &random), isRequired: random.chance(),
      kind: random.kind(), job: random.job(), state: .failed, error: random.failure())
    var details = PlanDetails(
      name: random.planName(), phase: random.planPhase(), run: random.job(), department: random.department(),
      gates: [PlanDetails.Gate(random.department(), isOpen: random.chance())], steps: [step],
      events: [random.planEvent()], waitingEvents: 2, acceptedAt: random.time(), finishedAt: random.time(),
      error: random.failure())
    details.omittedSteps = 1
    return details
  }

  private mutating func event() -> EventStatus {
    EventStatus(
      id: random.job(), number: 7, name: random.eventName(), plan: random.planName(), state: random.eventState(),
      department: random.department(), kind: random.kind(), receivedAt: random.time(), decidedAt: random.time())
  }
}
