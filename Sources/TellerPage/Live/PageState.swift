import JobModel
import Teller

/// How page, broker and coordinator stand, for people.
struct PageState: Hashable, Sendable {
  /// Each has a colour, a sign and a word of its own.
  enum Level: String, Hashable, Sendable, Codable { case connected, slow, lost }

  var level: Level
  /// Empty while all is well.
  var reason: String

  static let connected = PageState(level: .connected, reason: "")

  /// What is known about the coordinator's answers.
  struct Answers: Hashable, Sendable {
    /// How long a question has waited for its answer.
    var waiting: Duration = .zero
    /// Why the last question had none; nil: it had one.
    var problem: PageProblem?
    /// How the coordinator stood with the broker in its last answer; nil: there was none.
    var broker: BrokerState?
  }

  /// The state that follows. What is worse counts.
  static func of(_ standing: ClientStanding, _ answers: Answers, silence: Duration = HubLimits.silence) -> PageState {
    switch standing {
    case .lost(let reason), .refused(let reason): return PageState(level: .lost, reason: reason)
    case .connected, .blocked: break
    }
    if case .blocked(let reason) = standing {
      return PageState(level: .slow, reason: "the broker takes nothing now: \(reason)")
    }
    if answers.waiting >= silence || answers.problem?.code == "no_coordinator" {
      return PageState(level: .slow, reason: "the coordinator does not answer; what is shown is old")
    }
    if let problem = answers.problem {
      return PageState(level: problem.code == "no_broker" ? .lost : .slow, reason: problem.message)
    }
    switch answers.broker {
    case .blocked?:
      return PageState(level: .slow, reason: "the broker takes nothing from the coordinator: it is short of room")
    case .lost?: return PageState(level: .slow, reason: "the coordinator has lost the broker")
    case .connected?, nil: return .connected
    }
  }

  /// As it is sent.
  struct Document: Encodable, Hashable {
    var state: Level
    var reason: String
    var sinceMs: Int64
  }
}
