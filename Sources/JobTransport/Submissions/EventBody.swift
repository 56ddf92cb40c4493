import JobModel

/// What the body of an event's message says.
enum EventBody: Hashable {
  case event(EventName, plan: PlanName?, payload: [UInt8]?)
  case choice(EventChoice.Action, JobID)
}

extension EventBody {
  /// - Throws: `bad_event`, with the problem and its place.
  static func read(_ bytes: [UInt8]) throws(JobFailure) -> EventBody {
    do throws(Unreadable) {
      var (json, members) = (try JSONScanner(bytes), Members())
      guard json.isAtObject else {
        try json.skip()
        throw Unreadable("an event is an object with event, accept or dismiss")
      }
      try json.object { member, json throws(Unreadable) in try members.read(member, &json) }
      try json.end()
      return try members.body
    } catch {
      throw .badEvent(error.reason)
    }
  }

  private struct Members {
    private var event: EventName?
    private var plan: PlanName?
    private var payload: [UInt8]?
    private var (accepted, dismissed): (JobID?, JobID?) = (nil, nil)

    mutating func read(_ member: String, _ json: inout JSONScanner) throws(Unreadable) {
      switch member {
      case "event": event = try json.name(EventName.init)
      case "plan": plan = try json.name(PlanName.init)
      case "payload": payload = try json.payload()
      case "accept": accepted = try Members.id(&json)
      case "dismiss": dismissed = try Members.id(&json)
      default: throw Unreadable(unknown: member, of: "a message of an event")
      }
    }

    private static func id(_ json: inout JSONScanner) throws(Unreadable) -> JobID {
      let place = json.place
      let text = try json.text()
      guard let id = JobID(text) else { throw Unreadable("\(Excerpt.quoted(text)) is not a UUID\(place)") }
      return id
    }

    var body: EventBody {
      get throws(Unreadable) {
        switch (event, accepted, dismissed) {
        case (let event?, nil, nil): return .event(event, plan: plan, payload: payload)
        case (nil, let id?, nil) where plan == nil && payload == nil: return .choice(.accept, id)
        case (nil, nil, let id?) where plan == nil && payload == nil: return .choice(.dismiss, id)
        default: throw Unreadable("give event, with plan and payload perhaps; or accept alone; or dismiss alone")
        }
      }
    }
  }

  var bytes: [UInt8] {
    switch self {
    case .choice(let action, let id): return Array(#"{"\#(action.rawValue)":"\#(id)"}"#.utf8)
    case .event(let name, let plan, let payload):
      var body = Array(#"{"event":"\#(name)""#.utf8)
      if let payload { body += Array(#","payload":"#.utf8) + payload }
      if let plan { body += Array(#","plan":"\#(plan)""#.utf8) }
      return body + Array("}".utf8)
    }
  }
}
