import AuditSupport
import JobModel

/// Where the plan stands when an event comes.
enum OpeningState: String, CaseIterable, Sendable {
  case notStarted = "not started"
  case beforeRank = "runs, before the event's rank"
  case afterRank = "runs, behind the event's rank"
  case openRun = "open, when_open: run"
  case openAnnounce = "open, when_open: announce"
  case openPaused = "open, and paused"
  case failed

  /// The step at whose gate the plan waits.
  var waiting: String? {
    switch self {
    case .beforeRank: "user information"
    case .afterRank: "daily task"
    default: nil
    }
  }

  var event: EventName { self == .openRun ? "alarm" : "push" }

  /// What has become of the event before anything else happens.
  var atFirst: EventState {
    switch self {
    case .notStarted, .failed: .kept
    case .openAnnounce: .announced
    case .beforeRank, .afterRank, .openRun, .openPaused: .acted
    }
  }

  /// Whether the event's handler may have begun by then.
  var runsAtOnce: Bool { self == .openRun }

  /// The runs in their order.
  var order: [String] {
    switch self {
    case .notStarted, .beforeRank: OpeningPlan.order(event.name, after: "app version 1")
    case .afterRank: OpeningPlan.order(event.name, after: "daily task 1")
    case .openRun, .openAnnounce, .openPaused: OpeningPlan.order + [event.name]
    // The run that has failed, and the one after it.
    case .failed: ["network check 1"] + OpeningPlan.order(event.name, after: "app version 1")
    }
  }

  var place: String {
    switch self {
    case .notStarted, .beforeRank, .failed: "behind app version"
    case .afterRank: "behind daily task"
    case .openRun, .openAnnounce, .openPaused: "behind all steps"
    }
  }
}

/// When the coordinator dies.
enum Killing: String, CaseIterable, Sendable {
  case beforeRecord = "before it was recorded"
  /// The reply may be under way already.
  case afterRecord = "recorded, before the ack"
  case afterReply = "after the reply"

  /// The point of the flow.
  var point: String? {
    switch self {
    case .beforeRecord: "intake.before-record"
    case .afterRecord: "intake.after-record-before-ack"
    case .afterReply: nil
    }
  }
}

/// An event comes, and the coordinator dies.
struct EventCase: Hashable, Sendable {
  var state: OpeningState
  var killing: Killing

  static let all = OpeningState.allCases.flatMap { state in
    Killing.allCases.map { EventCase(state: state, killing: $0) }
  }

  /// One of each sort: kept, a step, announced, kept by a plan that has failed.
  static let telling = [
    EventCase(state: .notStarted, killing: .beforeRecord), EventCase(state: .beforeRank, killing: .afterRecord),
    EventCase(state: .openAnnounce, killing: .afterRecord), EventCase(state: .failed, killing: .afterReply),
  ]
}
