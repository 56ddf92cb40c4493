/// What becomes of firings that nobody saw to, because no coordinator ran.
package enum MissedRuns: String, Hashable, Sendable, CaseIterable {
  /// None of them is made up for.
  case skip
  /// The latest is made up for. What is taken when nobody says.
  case once
  /// Each is made up for, up to a hundred of the latest.
  case all
}

/// How far the firings of a schedule are done.
package struct ScheduleMark: Hashable, Sendable {
  /// Up to when they are done.
  package var last: Timestamp
  /// The ``CronSchedule/identity`` of the schedule; nil: a version of Teller that did not write it down has done them.
  package var identity: String?

  package init(last: Timestamp, identity: String?) { (self.last, self.identity) = (last, identity) }
}

/// A job that is submitted again and again, and when.
package struct CronSchedule: Hashable, Sendable {
  /// Unique in a configuration; formed as the names of departments are.
  package let name: String
  package var expression: CronExpression
  package var timeZone: Zone
  package var kind: JobKind
  package var department: Department?
  package var payload: JSONText?
  package var priority: Priority?
  package var attempts: Int?
  package var missed: MissedRuns

  /// A schedule; nil when the name is not 1–100 letters, digits, `-` and `_`.
  package init?(
    name: String, expression: CronExpression, timeZone: Zone, kind: JobKind, department: Department? = nil,
    payload: JSONText? = nil, priority: Priority? = nil, attempts: Int? = nil, missed: MissedRuns = .once
  ) {
    guard Name.isValid(name) else { return nil }
    self.name = name
    self.expression = expression
    self.timeZone = timeZone
    self.kind = kind
    self.department = department
    self.payload = payload
    self.priority = priority
    self.attempts = attempts
    self.missed = missed
  }

  /// What makes it another schedule when it is edited: when it fires, and what. All else, such as the payload, belongs to
  /// the jobs of the same schedule.
  package var identity: String { "\(expression) in \(timeZone.name): \(kind)" }

  /// Since when firings count. A schedule that is new, that was edited, or that is back after it was removed, begins with
  /// its next firing: what lies before `now` is none of its own.
  package func start(after mark: ScheduleMark?, at now: Timestamp) -> Timestamp {
    guard let mark, mark.identity ?? identity == identity else { return now }
    return mark.last
  }

  /// The most missed firings that are made up for, whatever the rule.
  package static let mostMissed = 100
  /// How late a firing may be and still count as one in time.
  package static let grace: Duration = .seconds(60)

  /// What is to be done now.
  package struct Due: Hashable, Sendable {
    /// The firings to run, oldest first; at most `mostMissed`, and two that are in time.
    package var runs: [Timestamp]
    /// The latest firing up to now, run or skipped: what to remember, and to ask with the next time.
    package var last: Timestamp
    /// How many firings were missed, run now or not; of more than `mostMissed` about so many.
    package var missed = 0
  }

  /// The firings after `last` up to and including `now` that are to be run.
  ///
  /// Remember its `last` together with the jobs, in one transaction: then a firing is neither lost nor run twice. When a
  /// schedule is seen for the first time, begin with the present time: what was before it is not missed. A clock that is
  /// set back repeats no firing.
  package func due(since last: Timestamp, at now: Timestamp) -> Due {
    // A minute apart at least, so two of them can be in time at once.
    let fired = expression.latest(CronSchedule.mostMissed + 2, after: last, through: now, in: timeZone)
    let missedRuns = fired.prefix { $0 < now - CronSchedule.grace }
    let inTime = fired.dropFirst(missedRuns.count)
    return Due(runs: madeUpFor(missedRuns) + inTime, last: fired.last ?? last, missed: missedRuns.count)
  }

  private func madeUpFor(_ missedRuns: ArraySlice<Timestamp>) -> [Timestamp] {
    switch missed {
    case .skip: []
    case .once: Array(missedRuns.suffix(1))
    case .all: Array(missedRuns.suffix(CronSchedule.mostMissed))
    }
  }

  /// The id of the job of one firing: always the same, so that one firing is one job however often it is submitted.
  package func jobID(firedAt time: Timestamp) -> JobID {
    JobID(schedule: name, firedAt: time)
  }
}
