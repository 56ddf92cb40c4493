package import JobModel

/// Which jobs to list. Nil means any.
package struct JobFilter: Hashable, Sendable {
  package var department: Department?
  /// `running` counts as `queued`: the ledger does not know which jobs run.
  package var states: Set<JobState>?
  package var kind: JobKind?
  /// Only failed jobs that nobody has looked after. Then `states` is not heeded.
  package var unsettled: Bool
  /// Only jobs that were accepted at that time or later, by the ledger's clock.
  package var acceptedSince: Timestamp?
  /// Only jobs that were accepted before that time.
  package var acceptedBefore: Timestamp?
  /// Only jobs whose outcome has that error code.
  package var errorCode: String?
  /// Only jobs with that key, whether the key is still taken or not.
  package var key: String?
  /// Only steps of that plan.
  package var plan: JobID?
  /// Only jobs whose id has that part.
  package var id: JobIDPart?
  /// Only jobs with a lower acceptance number: where the page before ended.
  package var before: Int64?
  /// At most this many, and never more than ``largestPage``.
  package var limit: Int

  package init(
    department: Department? = nil, states: Set<JobState>? = nil, kind: JobKind? = nil, unsettled: Bool = false,
    acceptedSince: Timestamp? = nil, acceptedBefore: Timestamp? = nil, errorCode: String? = nil, key: String? = nil,
    plan: JobID? = nil, id: JobIDPart? = nil, before: Int64? = nil, limit: Int = largestPage
  ) {
    self.id = id
    (self.department, self.states, self.kind, self.unsettled) = (department, states, kind, unsettled)
    (self.acceptedSince, self.acceptedBefore) = (acceptedSince, acceptedBefore)
    (self.errorCode, self.key, self.plan) = (errorCode, key, plan)
    (self.before, self.limit) = (before, limit)
  }

  package static let largestPage = 1_000
}

extension JobFilter {
  /// Where the jobs are looked for: each state on its own shelf; nil when every job passes.
  var shelves: [Shelf]? {
    if unsettled { return [.unsettled] }
    guard let states else { return department == nil && kind == nil ? nil : Shelf.all }
    return Set(states.map(StateCode.code)).sorted().map { Shelf.all[Int($0)] }
  }

  var group: Shelf.Group { Shelf.Group(department: department, kind: kind) }
}
