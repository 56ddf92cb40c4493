import Foundation
import JobModel
import TestSupport
import Testing

@testable import JobTransport

@Suite("Reading plans")
struct PlanReaderTests {
  @Test("a plan is read from what its submitter writes, each payload as it is written")
  func written() throws {
    let json = """
      {"department": "init", "steps": [
        {"name": "login", "kind": "log-in", "rank": 2, "payload": {"user": 7,  "tags": [null, true, 1.50]} },
        {"name": "check", "kind": "check-user", "rank": 1, "attempts": 5, "payload": null}]}
      """
    let payload = Array(#"{"user": 7,  "tags": [null, true, 1.50]}"#.utf8)
    let steps = [
      PlanStep(name: "login", kind: "log-in", rank: 2, payload: payload),
      PlanStep(name: "check", kind: "check-user", rank: 1, attempts: 5),
    ]
    let read = try PlanReader.plan(Array(json.utf8))
    #expect(read == PlanDefinition(department: "init", steps: steps))
    #expect(try PlanReader.plan(PlanWriter.write(read)) == read)
  }

  @Test("a department or a kind that is no name is refused", arguments: ["a.b", "", "ä", "a b"])
  func badNames(_ name: String) {
    let department = #"{"department": "\#(name)", "steps": []}"#
    let kind = #"{"department": "d", "steps": [{"name": "s", "kind": "\#(name)", "rank": 1}]}"#
    for json in [department, kind] {
      #expect(throws: JobFailure.self) { try PlanReader.read(Array(json.utf8)) }
    }
  }

  @Test("a member that stands twice is refused: nobody can tell which of them is meant")
  func twice() {
    let json = #"{"department": "d", "steps": [{"name": "s", "kind": "k", "rank": 1, "rank": 2}]}"#
    #expect(throws: JobFailure.badPlan("\"rank\" stands twice at steps[0]")) { try PlanReader.read(Array(json.utf8)) }
  }

  @Test("it says of every text what a decoder of values says, and gives every step the same payload")
  func againstDecoder() {
    var random = SeededRandom(for: "plan reader")
    var (taken, refused) = (0, 0)
    for _ in 0..<2_000 {
      let plan = random.plan()
      var bytes = PlanWriter.write(plan.definition)
      if random.chance() { random.damage(&bytes) }
      let (expected, found) = (DecodedPlan(bytes), try? PlanReader.plan(bytes))
      #expect(found.map(DecodedPlan.init) == expected, "\(String(decoding: bytes, as: UTF8.self).debugDescription)")
      if found == nil { refused += 1 } else { taken += 1 }
    }
    #expect(taken > 500 && refused > 200)
  }
}

extension PlanReader {
  /// A body that is a whole plan.
  fileprivate static func plan(_ bytes: [UInt8]) throws -> PlanDefinition {
    guard case .plan(let plan) = try PlanReader.read(bytes) else { throw JobFailure.badPlan("only a start") }
    return plan
  }
}

/// A plan with values for its payloads, as a decoder of values reads it.
private struct DecodedPlan: Hashable, Decodable {
  struct Step: Hashable, Decodable {
    var name: String
    var kind: JobKind
    var rank: Int
    var payload: JSONValue?
    var attempts: Int?
    var required: Bool?
    var timeoutMs: Int64?
    var startWithinMs: Int64?
    var reenter: Back?

    /// With the defaults of what was left out.
    var complete: Step {
      var step = self
      step.required = required ?? true
      step.reenter = reenter.map { Back(on: $0.on, from: $0.from, atMost: $0.atMost ?? 1) }
      return step
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
      case name, kind, rank, payload, attempts, required, reenter
      case timeoutMs = "timeout_ms"
      case startWithinMs = "start_within_ms"
    }
  }

  struct Back: Hashable, Decodable {
    var on: String
    var from: String
    var atMost: Int?

    enum CodingKeys: String, CodingKey, CaseIterable {
      case on, from
      case atMost = "at_most"
    }
  }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case name, department, steps, events, gates
  }

  var name: PlanName?
  var department: Department
  var steps: [Step]
  var events: [PlanEvent]?
  var gates: [Department]?

  init(_ plan: PlanDefinition) {
    (name, department, events, gates) = (plan.name, plan.department, plan.events, plan.gates)
    steps = plan.steps.map { step in
      let payload = step.payload.flatMap { try? JSONDecoder().decode(JSONValue.self, from: Data($0)) }
      return Step(
        name: step.name, kind: step.kind, rank: step.rank, payload: payload, attempts: step.attempts,
        required: step.isRequired, timeoutMs: step.timeout?.milliseconds,
        startWithinMs: step.startWithin?.milliseconds,
        reenter: step.reentry.map { Back(on: $0.code, from: $0.from, atMost: $0.atMost) })
    }
  }

  /// Nil when it cannot be read, has members that no plan has, or says what no plan may.
  init?(_ bytes: [UInt8]) {
    guard var plan = try? JSONDecoder().decode(DecodedPlan.self, from: Data(bytes)),
      let json = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes)), json.isPlan
    else { return nil }
    (plan.events, plan.gates) = (plan.events ?? [], plan.gates ?? [])
    plan.steps = plan.steps.map(\.complete)
    guard plan.definition.problem == nil else { return nil }
    self = plan
  }

  private var definition: PlanDefinition {
    let steps = steps.map { step in
      PlanStep(
        name: step.name, kind: step.kind, rank: step.rank, isRequired: step.required ?? true, attempts: step.attempts,
        timeout: step.timeoutMs.map { .milliseconds($0) }, startWithin: step.startWithinMs.map { .milliseconds($0) },
        reentry: step.reenter.map { Reentry(on: $0.on, from: $0.from, atMost: $0.atMost ?? 1) })
    }
    return PlanDefinition(name: name, department: department, steps: steps, events: events ?? [], gates: gates ?? [])
  }
}

extension JSONValue {
  /// Whether it has no other members than a plan may have.
  fileprivate var isPlan: Bool {
    guard hasOnly(DecodedPlan.CodingKeys.self), let steps = self["steps"]?.array else { return false }
    let events = self["events"]?.array ?? []
    return steps.allSatisfy { $0.hasOnly(DecodedPlan.Step.CodingKeys.self) }
      && steps.compactMap { $0["reenter"] }.allSatisfy { $0.hasOnly(DecodedPlan.Back.CodingKeys.self) }
      && events.allSatisfy { $0.hasOnly(EventKey.self) }
  }

  private enum EventKey: String, CodingKey, CaseIterable {
    case name, kind, rank
    case whenOpen = "when_open"
  }

  private func hasOnly<Key: CodingKey & CaseIterable>(_ keys: Key.Type) -> Bool {
    guard let members = object else { return false }
    return Set(members.keys).isSubset(of: Set(keys.allCases.map(\.stringValue)))
  }
}
