import JobModel

/// What the body of a plan's message says.
enum PlanBody: Hashable {
  /// A whole plan.
  case plan(PlanDefinition)
  /// The start of a plan that the coordinator's configuration has.
  case start(PlanName, payload: [UInt8]?)
}

/// Reads the body of a plan: once, from left to right. The payloads of its steps stay bytes.
struct PlanReader {
  private var name: PlanName?
  private var department: Department?
  private var steps: [PlanStep]?
  private var events: [PlanEvent]?
  private var gates: [Department]?
  private var payload: [UInt8]?

  /// - Throws: `bad_plan`, with the problem and its place.
  static func read(_ bytes: [UInt8]) throws(JobFailure) -> PlanBody {
    let body: PlanBody
    do throws(Unreadable) {
      var (json, reader) = (try JSONScanner(bytes), PlanReader())
      guard json.isAtObject else {
        try json.skip()
        throw Unreadable("a plan is an object with department and steps")
      }
      try json.object { member, json throws(Unreadable) in try reader.read(member, &json) }
      try json.end()
      body = try reader.body(json)
    } catch {
      throw .badPlan(error.reason)
    }
    if case .plan(let plan) = body, let problem = plan.problem { throw .badPlan(problem) }
    return body
  }

  private mutating func read(_ member: String, _ json: inout JSONScanner) throws(Unreadable) {
    switch member {
    case "name": name = try json.name(PlanName.init)
    case "department": department = try json.name(Department.init)
    case "steps": steps = try json.elements { json throws(Unreadable) in try StepReader.read(&json) }
    case "events": events = try json.elements { json throws(Unreadable) in try PlanEventReader.read(&json) }
    case "gates": gates = try json.elements { json throws(Unreadable) in try json.name(Department.init) }
    case "payload": payload = try json.payload()
    default: throw Unreadable(unknown: member, of: "a plan")
    }
  }

  /// Without a department and steps, a name starts the plan of that name.
  private func body(_ json: JSONScanner) throws(Unreadable) -> PlanBody {
    if let name, department == nil, steps == nil, events == nil, gates == nil {
      return .start(name, payload: payload)
    }
    if payload != nil {
      throw Unreadable("the steps of a plan have payloads; only the start of a plan by its name has one of its own")
    }
    let department = try json.required(department, "department")
    return .plan(
      PlanDefinition(
        name: name, department: department, steps: try json.required(steps, "steps"), events: events ?? [],
        gates: gates ?? []))
  }
}

/// Reads one step.
private struct StepReader {
  private var (name, kind): (String?, JobKind?) = (nil, nil)
  private var (rank, attempts): (Int?, Int?) = (nil, nil)
  private var (timeout, startWithin): (Duration?, Duration?) = (nil, nil)
  private var payload: [UInt8]?
  private var isRequired: Bool?
  private var reentry: Reentry?

  static func read(_ json: inout JSONScanner) throws(Unreadable) -> PlanStep {
    var reader = StepReader()
    try json.object { member, json throws(Unreadable) in try reader.read(member, &json) }
    return PlanStep(
      name: try json.required(reader.name, "name"), kind: try json.required(reader.kind, "kind"),
      rank: try json.required(reader.rank, "rank"), payload: reader.payload, isRequired: reader.isRequired ?? true,
      attempts: reader.attempts, timeout: reader.timeout, startWithin: reader.startWithin, reentry: reader.reentry)
  }

  private mutating func read(_ member: String, _ json: inout JSONScanner) throws(Unreadable) {
    switch member {
    case "name": name = try json.text()
    case "kind": kind = try json.name(JobKind.init)
    case "rank": rank = try json.wholeNumber()
    case "payload": payload = try json.payload()
    case "required": isRequired = try json.flag()
    case "attempts": attempts = try json.unlessNull { json throws(Unreadable) in try json.wholeNumber() }
    case "timeout_ms": timeout = try json.unlessNull { json throws(Unreadable) in try json.milliseconds() }
    case "start_within_ms": startWithin = try json.unlessNull { json throws(Unreadable) in try json.milliseconds() }
    case "reenter": reentry = try json.unlessNull { json throws(Unreadable) in try StepReader.reentry(&json) }
    default: throw Unreadable(unknown: member, of: "a step")
    }
  }

  private static func reentry(_ json: inout JSONScanner) throws(Unreadable) -> Reentry {
    var (code, from, atMost): (String?, String?, Int?) = (nil, nil, nil)
    try json.object { member, json throws(Unreadable) in
      switch member {
      case "on": code = try json.text()
      case "from": from = try json.text()
      case "at_most": atMost = try json.wholeNumber()
      default: throw Unreadable(unknown: member, of: "a re-entry")
      }
    }
    return Reentry(
      on: try json.required(code, "on"), from: try json.required(from, "from"), atMost: atMost ?? 1)
  }
}

/// Reads one event that a plan receives.
private enum PlanEventReader {
  static func read(_ json: inout JSONScanner) throws(Unreadable) -> PlanEvent {
    var (name, kind, rank): (EventName?, JobKind?, Int?) = (nil, nil, nil)
    var whenOpen: PlanEvent.WhenOpen?
    try json.object { member, json throws(Unreadable) in
      switch member {
      case "name": name = try json.name(EventName.init)
      case "kind": kind = try json.name(JobKind.init)
      case "rank": rank = try json.wholeNumber()
      case "when_open": whenOpen = try self.whenOpen(&json)
      default: throw Unreadable(unknown: member, of: "an event")
      }
    }
    return PlanEvent(
      try json.required(name, "name"), rank: try json.required(rank, "rank"), kind: kind, whenOpen: whenOpen ?? .run)
  }

  private static func whenOpen(_ json: inout JSONScanner) throws(Unreadable) -> PlanEvent.WhenOpen {
    let place = json.place
    let text = try json.text()
    guard let value = PlanEvent.WhenOpen(rawValue: text) else {
      throw Unreadable("\(Excerpt.quoted(text)) is neither run nor announce\(place)")
    }
    return value
  }
}
