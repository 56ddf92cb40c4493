import JobModel

/// Reads the body of a plan: once, from left to right. The payloads of its steps stay bytes.
enum PlanReader {
  /// - Throws: `bad_plan`, with the problem and its place.
  static func read(_ bytes: [UInt8]) throws(JobFailure) -> PlanDocument {
    let document: PlanDocument
    do throws(Unreadable) {
      var json = try JSONScanner(bytes)
      document = try plan(&json)
      try json.end()
    } catch {
      throw .badPlan(error.reason)
    }
    if let problem = document.problem { throw .badPlan(problem) }
    return document
  }

  private static func plan(_ json: inout JSONScanner) throws(Unreadable) -> PlanDocument {
    guard json.isAtObject else {
      try json.skip()
      throw Unreadable("a plan is an object with department and steps")
    }
    var department: Department?
    var steps: [PlanStep]?
    try json.object { member, json throws(Unreadable) in
      switch member {
      case "department": department = try name(&json, Department.init)
      case "steps":
        var read: [PlanStep] = []
        try json.list { json throws(Unreadable) in read.append(try step(&json)) }
        steps = read
      default: throw unknown(member, "plan")
      }
    }
    return PlanDocument(
      department: try json.required(department, "department"), steps: try json.required(steps, "steps"))
  }

  private static func step(_ json: inout JSONScanner) throws(Unreadable) -> PlanStep {
    var (name, kind): (String?, JobKind?)
    var (rank, attempts): (Int?, Int?)
    var payload: [UInt8]?
    try json.object { member, json throws(Unreadable) in
      switch member {
      case "name": name = try json.text()
      case "kind": kind = try self.name(&json, JobKind.init)
      case "rank": rank = try json.wholeNumber()
      case "payload": payload = try json.null() ? nil : try json.written()
      case "attempts": attempts = try json.null() ? nil : try json.wholeNumber()
      default: throw unknown(member, "step")
      }
    }
    return PlanStep(
      name: try json.required(name, "name"), kind: try json.required(kind, "kind"),
      rank: try json.required(rank, "rank"), payload: payload, attempts: attempts)
  }

  private static func name<Value>(
    _ json: inout JSONScanner, _ make: (String) -> Value?
  ) throws(Unreadable) -> Value {
    let place = json.place
    let text = try json.text()
    guard let value = make(text) else {
      throw Unreadable("\(Excerpt.quoted(text)) is not a name: 1–100 letters, digits, - and _\(place)")
    }
    return value
  }

  /// Refuses an unknown member: if it were ignored in silence, such as `optional`, the plan would run in another way than
  /// its submitter asked for.
  private static func unknown(_ member: String, _ whole: String) -> Unreadable {
    Unreadable("this version of Teller does not know the member \(Excerpt.quoted(member)) of a \(whole)")
  }
}

extension JSONScanner {
  fileprivate func required<Value>(_ value: Value?, _ member: String) throws(Unreadable) -> Value {
    guard let value else { throw Unreadable("\"\(member)\" is missing\(place)") }
    return value
  }
}
