package import JobModel

/// What only operators may ask of the coordinator, over `teller.admin`.
package enum AdminRequest: Hashable, Sendable {
  /// Cancels jobs that have no outcome yet, whether they wait or run. By ids: `ChangeDocument`; else `OperationDocument`.
  case cancel(JobSelection)
  /// Submits failed jobs again, each as a new job, once. By ids: `ChangeDocument`; else `OperationDocument`.
  case replay(JobSelection)
  /// Takes failed jobs off the list of those that somebody has to look after. By ids: `ChangeDocument`; else
  /// `OperationDocument`.
  case drop(JobSelection)
  /// Cancels everything that waits and runs, plans included: `OperationDocument`.
  case reset
  /// Nothing of the department is released or taken from its queue from now on: `PauseDocument`.
  case pause(Department)
  /// The department goes on: `PauseDocument`.
  case resume(Department)
  /// Changes the number of tellers of running workers: `ResizeDocument`.
  case resize(ResizeOrder)
  /// Gives a waiting job another priority, or another rank: `RerankDocument`.
  case rerank(RerankOrder)
  /// Gives a key back before its window has passed: `KeyDocument`.
  case freeKey(KeyOrder)
}

/// Which jobs a command is about: those that are named, or all that pass a filter. `all` must be set for a filter that
/// lets everything pass: nobody cancels everything by leaving something out.
package struct JobSelection: Hashable, Sendable, Codable {
  package var jobs: [JobID]?
  package var department: Department?
  package var kind: JobKind?
  package var all: Bool?

  package init(jobs: [JobID]) { self.jobs = jobs }

  package init(department: Department? = nil, kind: JobKind? = nil) {
    self.department = department
    self.kind = kind
    if department == nil, kind == nil { all = true }
  }

  /// How many jobs may be named.
  package static let idLimits = 1...1_000

  enum CodingKeys: String, CodingKey, CaseIterable {
    case jobs, department, kind, all
  }

  /// What is wrong with it, for people; nil when nothing is.
  package var problem: String? {
    if let jobs {
      let (fewest, most) = (JobSelection.idLimits.lowerBound, JobSelection.idLimits.upperBound)
      if !JobSelection.idLimits.contains(jobs.count) {
        return "\(jobs.count) jobs are not between \(fewest) and \(most)"
      }
      if Set(jobs).count < jobs.count { return "a job is named twice" }
      let isAlone = department == nil && kind == nil && all == nil
      return isAlone ? nil : "give jobs, or a filter, not both"
    }
    if department == nil, kind == nil, all != true { return "give jobs, a department, a kind, or all: true" }
    return nil
  }
}

/// How many tellers workers are to have.
package struct ResizeOrder: Hashable, Sendable, Codable {
  package var department: Department
  package var tellers: Int
  /// The worker's id or name; nil: every worker that serves the department now.
  package var worker: String?

  package init(department: Department, tellers: Int, worker: String? = nil) {
    self.department = department
    self.tellers = tellers
    self.worker = worker
  }

  /// 0: it takes nothing of the department any more.
  package static let tellerLimits = 0...PresenceCodec.workerTellers

  enum CodingKeys: String, CodingKey, CaseIterable {
    case department, tellers, worker
  }

  package var problem: String? {
    if ResizeOrder.tellerLimits.contains(tellers) { return nil }
    return "tellers \(tellers) is not between 0 and \(ResizeOrder.tellerLimits.upperBound)"
  }
}

/// Where a waiting job is to stand.
package struct RerankOrder: Hashable, Sendable, Codable {
  package var job: JobID
  package var priority: Priority?
  /// In an ordered department.
  package var rank: Int?

  package init(job: JobID, priority: Priority? = nil, rank: Int? = nil) {
    self.job = job
    self.priority = priority
    self.rank = rank
  }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case job, priority, rank
  }

  package var problem: String? {
    if let rank, !Submission.rankLimits.contains(rank) { return "rank \(rank) is not 1–1000000" }
    return (priority == nil) == (rank == nil) ? "give a priority or a rank" : nil
  }
}

/// Which key is to be given back.
package struct KeyOrder: Hashable, Sendable, Codable {
  package var kind: JobKind
  package var key: String

  package init(kind: JobKind, key: String) {
    self.kind = kind
    self.key = key
  }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case kind, key
  }
}

/// The body of `pause` and `resume`.
struct PauseOrder: Hashable, Sendable, Codable {
  var department: Department

  enum CodingKeys: String, CodingKey, CaseIterable {
    case department
  }
}

extension KeyOrder {
  /// What is wrong with it, for people; nil when nothing is.
  package var problem: String? {
    SubmissionKey.isValid(key) ? nil : "\(Excerpt.quoted(key)) is no key: \(SubmissionKey.form)"
  }
}

extension AdminRequest {
  /// What is wrong with it, for people; nil when nothing is.
  package var problem: String? {
    switch self {
    case .cancel(let selection), .replay(let selection), .drop(let selection): selection.problem
    case .resize(let order): order.problem
    case .rerank(let order): order.problem
    case .freeKey(let order): order.problem
    case .reset, .pause, .resume: nil
    }
  }
}
