package import JobModel

/// The commands of operators, over `teller.admin`. The answers are named here.
package enum AdminRequest: Hashable, Sendable {
  /// Cancels jobs that have no outcome yet, whether they wait or run. By ids: `JobChanges`; else `JobOperation`.
  case cancel(JobSelection)
  /// Submits failed jobs again, each as a new job, once. By ids: `JobChanges`; else `JobOperation`.
  case replay(JobSelection)
  /// Takes failed jobs off the list of `teller failed`. By ids: `JobChanges`; else `JobOperation`.
  case drop(JobSelection)
  /// Releases jobs that are held since the ledger was restored. Not by ids: `JobOperation`.
  case acceptRestored(JobSelection)
  /// Cancels jobs that are held since the ledger was restored. Not by ids: `JobOperation`.
  case dropRestored(JobSelection)
  /// Cancels all jobs that wait or run, and all plans that run: `JobOperation`.
  case reset
  /// Pauses a department: no job of it is released, or taken from its queue: `DepartmentPause`.
  case pause(Department)
  /// Lets a paused department go on: `DepartmentPause`.
  case resume(Department)
  /// Changes the number of tellers of running workers: `DepartmentResize`.
  case resize(ResizeOrder)
  /// Gives a waiting job another priority, or another rank: `JobPlace`.
  case rerank(RerankOrder)
  /// Gives a key back before its window has passed: `FreedKey`.
  case freeKey(KeyOrder)
  /// Makes keys ready for a first use, and cancels the jobs that have them: `JobOperation`.
  case resetKeys(KeyResetOrder)
  /// Has a worker drain: `WorkerDrain`; errors `no_worker`, `ambiguous_worker`.
  case drainWorker(DrainOrder)
  /// Stops a plan: `PlanStop`; error `unknown_plan`.
  case stopPlan(PlanStopOrder)
  /// Keeps the place of a subscriber no more: `ForgottenSubscriber`.
  case forgetSubscriber(SubscriberName)
  /// What a job carries to its worker: `JobContent`; errors `not_found`, `no_payload`. It changes nothing, and is here since
  /// only operators may read payloads.
  case payload(JobID)
  /// Records what was done without a command: `OperatorAction`. It changes nothing else.
  case note(ActionNote)
}

/// The jobs that a command is about: by their ids, or by a filter. A selection of all jobs needs `all`: nobody cancels every
/// job by leaving a word out.
package struct JobSelection: Hashable, Sendable, QuestionBody {
  package var jobs: [JobID]?
  package var department: Department?
  package var kind: JobKind?
  package var all: Bool?
  package var narrowing = JobNarrowing()

  package init(jobs: [JobID]) { self.jobs = jobs }

  package init(department: Department? = nil, kind: JobKind? = nil, narrowing: JobNarrowing = JobNarrowing()) {
    (self.department, self.kind, self.narrowing) = (department, kind, narrowing)
    if department == nil, kind == nil, narrowing.isEmpty { all = true }
  }

  /// How many ids there may be.
  package static let idLimits = 1...1_000

  enum CodingKeys: String, CodingKey, CaseIterable {
    case jobs, department, kind, all, state, error, key, plan
    case since = "since_ms"
    case until = "until_ms"
  }

  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    jobs = try members.decodeIfPresent([JobID].self, forKey: .jobs)
    department = try members.decodeIfPresent(Department.self, forKey: .department)
    kind = try members.decodeIfPresent(JobKind.self, forKey: .kind)
    all = try members.decodeIfPresent(Bool.self, forKey: .all)
    narrowing = try JobNarrowing(from: decoder)
  }

  package func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encodeIfPresent(jobs, forKey: .jobs)
    try members.encodeIfPresent(department, forKey: .department)
    try members.encodeIfPresent(kind, forKey: .kind)
    try members.encodeIfPresent(all, forKey: .all)
    try narrowing.encode(to: encoder)
  }

  /// What is wrong with the selection for a command, for people; nil: nothing.
  package func problem(for action: JobOperation.Action) -> String? {
    if let jobs {
      let (fewest, most) = (JobSelection.idLimits.lowerBound, JobSelection.idLimits.upperBound)
      if !JobSelection.idLimits.contains(jobs.count) {
        return "\(jobs.count) jobs are not between \(fewest) and \(most)"
      }
      if Set(jobs).count < jobs.count { return "a job is named twice" }
      let isAlone = department == nil && kind == nil && all == nil && narrowing.isEmpty
      return isAlone ? nil : "give jobs, or a filter, not both"
    }
    if department == nil, kind == nil, narrowing.isEmpty, all != true {
      return "give jobs, a department, a kind, another filter, or all: true"
    }
    return narrowing.problem(for: action)
  }

  /// What is wrong with it for a command about jobs that are held since the ledger was restored; nil: nothing.
  package var problemOfRestored: String? {
    let isPlain = jobs == nil && narrowing.isEmpty
    return isPlain ? problem(for: .cancel) : "give a department, a kind, or all: true, and nothing else"
  }
}

/// The body of `resize`: how many tellers workers are to have.
package struct ResizeOrder: Hashable, Sendable, QuestionBody {
  package var department: Department
  package var tellers: Int
  /// The worker's id or name; nil: every worker that serves the department now.
  package var worker: String?

  package init(department: Department, tellers: Int, worker: String? = nil) {
    self.department = department
    self.tellers = tellers
    self.worker = worker
  }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case department, tellers, worker
  }

  package var problem: String? {
    if DepartmentResize.tellerLimits.contains(tellers) { return nil }
    return "tellers \(tellers) is not between 0 and \(DepartmentResize.tellerLimits.upperBound)"
  }
}

/// The body of `drain`: the worker that is to drain.
package struct DrainOrder: Hashable, Sendable, QuestionBody {
  /// The worker's id, or its name, if no other worker has that name.
  package var worker: String

  package init(worker: String) { self.worker = worker }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case worker
  }
}

/// The body of `rerank`: the new priority or rank of a waiting job.
package struct RerankOrder: Hashable, Sendable, QuestionBody {
  package var job: JobID
  package var priority: Priority?
  /// Only in an ordered department.
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

/// The body of `free_key`: the key to give back.
package struct KeyOrder: Hashable, Sendable, QuestionBody {
  package var kind: JobKind
  package var key: String

  package init(kind: JobKind, key: String) {
    self.kind = kind
    self.key = key
  }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case kind, key
  }

  package var problem: String? {
    SubmissionKey.isValid(key) ? nil : "\(Excerpt.quoted(key)) is no key: \(SubmissionKey.form)"
  }
}

/// The body of `reset_keys`: one key, or all keys of a kind. All keys need `all`: nobody resets every key by leaving a
/// word out.
package struct KeyResetOrder: Hashable, Sendable, QuestionBody {
  package var kind: JobKind
  package var key: String?
  private var all: Bool?

  package init(_ name: JobKey) { (kind, key, all) = (name.kind, name.key, nil) }

  package init(allOf kind: JobKind) { (self.kind, key, all) = (kind, nil, true) }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case kind, key, all
  }

  package var problem: String? {
    guard let key else { return all == true ? nil : "give a key, or all: true" }
    if all != nil { return "give a key, or all: true, not both" }
    return SubmissionKey.isValid(key) ? nil : "\(Excerpt.quoted(key)) is no key: \(SubmissionKey.form)"
  }
}

/// The body of `stop_plan`.
package struct PlanStopOrder: Hashable, Sendable, QuestionBody {
  package var plan: PlanName
  package var gates: GateChoice

  package init(plan: PlanName, gates: GateChoice) { (self.plan, self.gates) = (plan, gates) }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case plan, gates
  }
}

/// The body of `pause` and `resume`.
struct PauseOrder: Hashable, Sendable, QuestionBody {
  var department: Department

  enum CodingKeys: String, CodingKey, CaseIterable {
    case department
  }
}

extension AdminRequest {
  /// What is wrong with the command, for people; nil: nothing.
  package var problem: String? {
    switch self {
    case .cancel(let selection): selection.problem(for: .cancel)
    case .replay(let selection): selection.problem(for: .replay)
    case .drop(let selection): selection.problem(for: .drop)
    case .acceptRestored(let selection), .dropRestored(let selection): selection.problemOfRestored
    case .resize(let order): order.problem
    case .rerank(let order): order.problem
    case .freeKey(let order): order.problem
    case .resetKeys(let order): order.problem
    case .note(let note): note.problem
    case .reset, .pause, .resume, .drainWorker, .stopPlan, .forgetSubscriber, .payload: nil
    }
  }
}
