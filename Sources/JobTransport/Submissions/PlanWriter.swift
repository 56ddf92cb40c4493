package import JobModel

/// Writes the body of a plan's message, like ``WireJSON``, with the payloads as they are.
enum PlanWriter {
  static func write(_ plan: PlanDefinition) -> [UInt8] {
    var body = Array(#"{"department":"\#(plan.department)""#.utf8)
    write(plan.events.map(event), as: "events", to: &body)
    write(plan.gates.map { Array("\"\($0)\"".utf8) }, as: "gates", to: &body)
    if let name = plan.name { body += Array(#","name":"\#(name)""#.utf8) }
    body += Array(#","steps":"#.utf8) + list(plan.steps.map(step)) + Array("}".utf8)
    return body
  }

  /// The body of the start of a plan by its name.
  static func write(start plan: PlanName, payload: [UInt8]?) -> [UInt8] {
    let rest = payload.map { Array(#","payload":"#.utf8) + $0 } ?? []
    return Array(#"{"name":"\#(plan)""#.utf8) + rest + Array("}".utf8)
  }

  private static func write(_ elements: [[UInt8]], as member: String, to body: inout [UInt8]) {
    if !elements.isEmpty { body += Array(#","\#(member)":"#.utf8) + list(elements) }
  }

  private static func list(_ elements: [[UInt8]]) -> [UInt8] {
    Array("[".utf8) + elements.joined(separator: Array(",".utf8)) + Array("]".utf8)
  }

  private static func event(_ event: PlanEvent) -> [UInt8] { WireJSON.encodePlain(event) }

  private static func step(_ step: PlanStep) -> [UInt8] {
    var body = Array("{".utf8)
    if let attempts = step.attempts { body += Array(#""attempts":\#(attempts),"#.utf8) }
    body += Array(#""kind":"\#(step.kind)","name":"#.utf8)
    body += WireJSON.encodePlain(step.name)
    if let payload = step.payload { body += Array(#","payload":"#.utf8) + payload }
    body += Array(#","rank":\#(step.rank)"#.utf8)
    if let reentry = step.reentry { body += Array(#","reenter":"#.utf8) + WireJSON.encodePlain(reentry) }
    if !step.isRequired { body += Array(#","required":false"#.utf8) }
    if let wait = step.startWithin { body += Array(#","start_within_ms":\#(wait.milliseconds)"#.utf8) }
    if let timeout = step.timeout { body += Array(#","timeout_ms":\#(timeout.milliseconds)"#.utf8) }
    return body + Array("}".utf8)
  }
}

extension PlanStep {
  /// A value as the payload of a step; null is the same as no payload.
  ///
  /// - Throws: `bad_plan` when JSON cannot hold the value.
  package static func bytes(of value: JSONValue?) throws(JobFailure) -> [UInt8]? {
    guard let value, value != .null else { return nil }
    do {
      return try WireJSON.encode(value)
    } catch {
      throw .badPlan("a payload holds a number that JSON does not know, such as infinity")
    }
  }
}
