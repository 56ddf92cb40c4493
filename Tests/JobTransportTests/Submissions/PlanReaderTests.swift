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
    let read = try PlanReader.read(Array(json.utf8))
    #expect(read == PlanDocument(department: "init", steps: steps))
    #expect(try PlanReader.read(PlanWriter.write(read)) == read)
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
      var bytes = PlanWriter.write(PlanDocument(department: plan.department, steps: plan.steps))
      if random.chance() { random.damage(&bytes) }
      let (expected, found) = (DecodedPlan(bytes), try? PlanReader.read(bytes))
      #expect(found.map(DecodedPlan.init) == expected, "\(String(decoding: bytes, as: UTF8.self).debugDescription)")
      if found == nil { refused += 1 } else { taken += 1 }
    }
    #expect(taken > 500 && refused > 200)
  }
}

/// A plan with values for its payloads.
private struct DecodedPlan: Hashable, Decodable {
  struct Step: Hashable, Decodable {
    var name: String
    var kind: JobKind
    var rank: Int
    var payload: JSONValue?
    var attempts: Int?
  }

  var department: Department
  var steps: [Step]

  init(_ document: PlanDocument) {
    department = document.department
    steps = document.steps.map { step in
      let payload = step.payload.flatMap { try? JSONDecoder().decode(JSONValue.self, from: Data($0)) }
      return Step(name: step.name, kind: step.kind, rank: step.rank, payload: payload, attempts: step.attempts)
    }
  }

  /// Nil when it cannot be read, has members that no plan has, or says what no plan may.
  init?(_ bytes: [UInt8]) {
    guard let plan = try? JSONDecoder().decode(DecodedPlan.self, from: Data(bytes)),
      let json = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes)), json.isPlan
    else { return nil }
    let steps = plan.steps.map {
      PlanStep(name: $0.name, kind: $0.kind, rank: $0.rank, attempts: $0.attempts)
    }
    guard PlanDocument(department: plan.department, steps: steps).problem == nil else { return nil }
    self = plan
  }
}

extension JSONValue {
  fileprivate var isPlan: Bool {
    guard case .object(let plan) = self, Set(plan.keys).isSubset(of: ["department", "steps"]),
      case .array(let steps)? = plan["steps"]
    else { return false }
    return steps.allSatisfy { step in
      guard case .object(let step) = step else { return false }
      return Set(step.keys).isSubset(of: ["name", "kind", "rank", "payload", "attempts"])
    }
  }
}
