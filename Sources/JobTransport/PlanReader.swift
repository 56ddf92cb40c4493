import JobModel

/// Reads the only body that Teller parses.
enum PlanReader {
  private static let members: Set<String> = ["department", "steps"]
  private static let stepMembers: Set<String> = ["name", "kind", "rank", "payload", "attempts"]

  /// - Throws: `bad_plan`, with what is wrong and where.
  static func read(_ bytes: [UInt8]) throws(JobFailure) -> PlanDocument {
    let document: PlanDocument
    do throws(Unreadable) {
      try refuseUnknownMembers(try WireJSON.decode(JSONValue.self, from: bytes))
      document = try WireJSON.decode(PlanDocument.self, from: bytes)
    } catch {
      throw .badPlan(error.reason)
    }
    if let problem = document.problem { throw .badPlan(problem) }
    return document
  }

  /// A member that is ignored in silence, such as `optional`, would run the plan in a way nobody asked for.
  private static func refuseUnknownMembers(_ json: JSONValue) throws(Unreadable) {
    guard case .object(let plan) = json else { throw Unreadable("a plan is an object with department and steps") }
    if let name = plan.keys.filter({ !members.contains($0) }).min() {
      throw Unreadable("this version of Teller does not know the member \(Excerpt.quoted(name)) of a plan")
    }
    guard case .array(let steps)? = plan["steps"] else { return }
    for case .object(let step) in steps {
      guard let name = step.keys.filter({ !stepMembers.contains($0) }).min() else { continue }
      throw Unreadable("this version of Teller does not know the member \(Excerpt.quoted(name)) of a step")
    }
  }
}
