package import JobModel

/// The questions to the coordinator, over `teller.requests`. The answers are named here.
package enum Request: Hashable, Sendable {
  /// The state of the coordinator, the departments and the workers: `TellerStatus`.
  case status
  /// All departments, and the next jobs of some: `Board`.
  case board(BoardQuery)
  /// Jobs, newest first: `JobPage`; error `not_found` for a plan.
  case jobs(JobQuery)
  /// How many failed jobs nobody has looked after, by what failed: `FailureCounts`.
  case failures(FailureQuery)
  /// How many jobs a command about many jobs would change: `JobCount`.
  case count(CountQuery)
  /// One job with its attempts: `JobRecord`; error `not_found`.
  case show(JobID)
  /// The outcomes of jobs, as soon as all have one or the limit has passed: `WaitDocument`.
  case wait(WaitQuery)
  /// Why a job does not run, or has not ended: `JobExplanation`; error `not_found`.
  case explain(JobID)
  /// A summary of jobs that have ended: `JobReport`.
  case report(ReportQuery)
  /// The progress of a command about many jobs: `JobOperation`; error `not_found`.
  case operation(Int64)
  /// Workers, by id: `WorkerPage`.
  case workers(WorkerQuery)
  /// Schedules, by name: `SchedulePage`.
  case schedules(ScheduleQuery)
  /// Keys that are taken, by kind and key: `KeyPage`.
  case keys(KeyQuery)
  /// One key with its outcome, as soon as there is one or the limit has passed: `KeyStatus`.
  case key(KeyQuestion)
  /// What operators did, newest first: `ActionPage`.
  case actions(ActionQuery)
  /// Plans, newest first: `PlanPage`.
  case plans(PlanQuery)
  /// One plan, by its name or the id of a run: `PlanDetails`; error `not_found`.
  case plan(String)
  /// Events, newest first: `EventPage`.
  case events(EventQuery)
  /// One event: `EventStatus`; error `not_found`.
  case event(JobID)
  /// The place of a subscriber: `SubscriberStatus`; error `not_found`.
  case subscriber(SubscriberName)
  /// Subscribers, by name: `SubscriberPage`.
  case subscribers(SubscriberQuery)
  /// Keeps the place of a subscriber, which never goes back: `SubscriberStatus`; error `too_many_subscribers`.
  case keepPlace(PlaceOrder)
}

extension ActionQuery: QuestionBody {}
extension BoardQuery: QuestionBody {}
extension JobQuery: QuestionBody {}
extension WorkerQuery: QuestionBody {}
extension ScheduleQuery: QuestionBody {}
extension KeyQuery: QuestionBody {}
extension PlanQuery: QuestionBody {}
extension EventQuery: QuestionBody {}
extension FailureQuery: QuestionBody {}

/// A command about many jobs, whose jobs are counted. Without a filter these are all jobs.
package struct CountQuery: Hashable, Sendable, QuestionBody {
  package var action: JobOperation.Action
  package var department: Department?
  package var kind: JobKind?
  package var narrowing: JobNarrowing

  package init(
    _ action: JobOperation.Action, department: Department? = nil, kind: JobKind? = nil,
    narrowing: JobNarrowing = JobNarrowing()
  ) {
    (self.action, self.department, self.kind, self.narrowing) = (action, department, kind, narrowing)
  }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case action, department, kind, state, error, key, plan
    case since = "since_ms"
    case until = "until_ms"
  }

  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    action = try members.decode(JobOperation.Action.self, forKey: .action)
    department = try members.decodeIfPresent(Department.self, forKey: .department)
    kind = try members.decodeIfPresent(JobKind.self, forKey: .kind)
    narrowing = try JobNarrowing(from: decoder)
  }

  package func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(action, forKey: .action)
    try members.encodeIfPresent(department, forKey: .department)
    try members.encodeIfPresent(kind, forKey: .kind)
    try narrowing.encode(to: encoder)
  }

  package var problem: String? {
    let actions: [JobOperation.Action] = [.cancel, .replay, .drop, .reset, .acceptRestored, .dropRestored]
    guard actions.contains(action) else {
      let known = actions.map(\.rawValue).joined(separator: ", ")
      return "\(Excerpt.quoted(action.rawValue)) is no command about many jobs: give one of \(known)"
    }
    if action == .acceptRestored || action == .dropRestored {
      return narrowing.isEmpty ? nil : "of these only department and kind are a filter: give no other one"
    }
    guard action == .reset else { return narrowing.problem(for: action) }
    let isOfAll = department == nil && kind == nil && narrowing.isEmpty
    return isOfAll ? nil : "a reset is about all jobs: give no department, no kind and no other filter"
  }
}

/// The jobs to sum up: those that ended since a moment, or those of a plan.
package struct ReportQuery: Hashable, Sendable, QuestionBody {
  package var since: Timestamp?
  package var plan: JobID?
  package var department: Department?

  package init(since: Timestamp? = nil, plan: JobID? = nil, department: Department? = nil) {
    self.since = since
    self.plan = plan
    self.department = department
  }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case since = "since_ms"
    case plan, department
  }

  package var problem: String? {
    (since == nil) == (plan == nil) ? "give since_ms or plan" : nil
  }
}

/// The jobs that a `wait` is about, and its limit.
package struct WaitQuery: Hashable, Sendable, QuestionBody {
  package var ids: [JobID]
  /// Nil: ``longest``.
  private var limitMs: Int64?

  /// How many jobs one request may name.
  package static let idLimits = 1...1_000
  /// The longest `limit`.
  package static let longest: Duration = .seconds(30)

  package init(ids: [JobID], limit: Duration = longest) {
    self.ids = ids
    limitMs = limit.milliseconds
  }

  /// How long the coordinator may wait for the jobs to end.
  package var limit: Duration { limitMs.map { .milliseconds($0) } ?? WaitQuery.longest }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case ids
    case limitMs = "limit_ms"
  }
}

/// The body of a `key`.
package struct KeyQuestion: Hashable, Sendable, QuestionBody {
  package var kind: JobKind
  package var key: String
  private var limitMs: Int64?

  package init(_ name: JobKey, limit: Duration = .zero) {
    (kind, key, limitMs) = (name.kind, name.key, limit.milliseconds)
  }

  package var name: JobKey { JobKey(kind: kind, key: key) }

  /// How long the coordinator may wait for an outcome; nothing said: it answers at once.
  package var limit: Duration { limitMs.map { .milliseconds($0) } ?? .zero }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case kind, key
    case limitMs = "limit_ms"
  }

  package var problem: String? {
    if !SubmissionKey.isValid(key) { return "\(Excerpt.quoted(key)) is no key: \(SubmissionKey.form)" }
    if (.zero...WaitQuery.longest).contains(limit) { return nil }
    return "limit_ms \(limit.milliseconds) is not between 0 and \(WaitQuery.longest.milliseconds)"
  }
}

/// The body of a `plan`: its name, or the id of a run.
struct PlanReference: QuestionBody {
  var plan: String

  enum CodingKeys: String, CodingKey, CaseIterable {
    case plan
  }
}

/// The body of a `show`, an `explain` and an `operation`.
struct IDQuery<ID: Codable>: QuestionBody {
  var id: ID

  enum CodingKeys: String, CodingKey, CaseIterable {
    case id
  }
}

extension Request {
  /// What is wrong with the request, for people; nil: nothing.
  package var problem: String? {
    switch self {
    case .status, .show, .explain, .operation, .schedules, .event, .subscriber: return nil
    case .subscribers(let query): return query.problem
    case .keepPlace(let order): return order.problem
    case .board(let query): return query.problem
    case .actions(let query): return query.problem
    case .plan(let plan):
      return PlanName(plan) == nil ? "\(Excerpt.quoted(plan)) is neither a plan's name nor the id of a run" : nil
    case .events(let query): return query.problem
    case .workers(let query): return query.problem
    case .keys(let query): return query.problem
    case .key(let query): return query.problem
    case .plans(let query): return query.problem
    case .report(let query): return query.problem
    case .jobs(let query): return query.problem
    case .failures(let query): return query.problem
    case .count(let query): return query.problem
    case .wait(let query):
      let (fewest, most) = (WaitQuery.idLimits.lowerBound, WaitQuery.idLimits.upperBound)
      if !(fewest...most).contains(query.ids.count) {
        return "\(query.ids.count) ids are not between \(fewest) and \(most)"
      }
      if (.zero...WaitQuery.longest).contains(query.limit) { return nil }
      return "limit_ms \(query.limit.milliseconds) is not between 0 and \(WaitQuery.longest.milliseconds)"
    }
  }
}
