package import JobModel

/// Writes the body of a plan's message, like ``WireJSON``, with the payloads as they are.
enum PlanWriter {
  static func write(_ document: PlanDocument) -> [UInt8] {
    var body = Array(#"{"department":"\#(document.department)","steps":["#.utf8)
    for (index, step) in document.steps.enumerated() {
      if index > 0 { body += Array(",".utf8) }
      write(step, to: &body)
    }
    body += Array("]}".utf8)
    return body
  }

  private static func write(_ step: PlanStep, to body: inout [UInt8]) {
    body += Array("{".utf8)
    if let attempts = step.attempts { body += Array(#""attempts":\#(attempts),"#.utf8) }
    body += Array(#""kind":"\#(step.kind)","name":"#.utf8)
    body += WireJSON.encodePlain(step.name)
    if let payload = step.payload { body += Array(#","payload":"#.utf8) + payload }
    body += Array(#","rank":\#(step.rank)}"#.utf8)
  }
}

extension PlanStep {
  /// A step with a value as payload; null is the same as no payload.
  ///
  /// - Throws: `bad_plan` when JSON cannot hold the value.
  package init(
    name: String, kind: JobKind, rank: Int, value: JSONValue?, attempts: Int? = nil
  ) throws(JobFailure) {
    var payload: [UInt8]?
    if let value, value != .null {
      do {
        payload = try WireJSON.encode(value)
      } catch {
        throw .badPlan("a payload holds a number that JSON does not know, such as infinity")
      }
    }
    self.init(name: name, kind: kind, rank: rank, payload: payload, attempts: attempts)
  }
}
