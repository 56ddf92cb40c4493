package import JobModel

/// What a command did to the jobs that it named. Each id is in exactly one list.
package struct ChangeDocument: AnswerDocument {
  /// The jobs that the command changed.
  package var changed: [JobID]
  /// For `replay`: the new job of each of `changed`, in the same order.
  package var replays: [JobID]?
  /// The jobs that the command left as they are, each with the reason.
  package var unchanged: [Unchanged]

  package struct Unchanged: Hashable, Sendable, Codable {
    package var job: JobID
    /// `unknown`, `ended`, `not_failed`, `replayed`, `dropped`, or `no_department`: its department exists no more.
    package var reason: String
    /// The replay of the job, if there is one.
    package var replay: JobID?

    package init(job: JobID, reason: String, replay: JobID? = nil) {
      self.job = job
      self.reason = reason
      self.replay = replay
    }
  }

  package init(changed: [JobID] = [], replays: [JobID]? = nil, unchanged: [Unchanged] = []) {
    self.changed = changed
    self.replays = replays
    self.unchanged = unchanged
  }
}

/// A command about so many jobs that it is carried out in steps. The operation goes on when the coordinator is replaced. A
/// job that is accepted after the command is not part of it.
package struct OperationDocument: AnswerDocument {
  package var id: Int64
  /// `cancel`, `replay`, `drop` or `reset`.
  package var action: String
  package var department: Department?
  package var kind: JobKind?
  /// How many jobs the operation has changed.
  package var changed: Int
  /// How many jobs the operation has looked at.
  package var looked: Int
  /// How many jobs there are to look at, counted at the command.
  package var total: Int
  package var startedAt: Timestamp
  /// Nil while the operation goes on.
  package var finishedAt: Timestamp?

  package init(
    id: Int64, action: String, department: Department?, kind: JobKind?, changed: Int, looked: Int, total: Int,
    startedAt: Timestamp, finishedAt: Timestamp?
  ) {
    self.id = id
    self.action = action
    self.department = department
    self.kind = kind
    self.changed = changed
    self.looked = looked
    self.total = total
    self.startedAt = startedAt
    self.finishedAt = finishedAt
  }

  enum CodingKeys: String, CodingKey {
    case id, action, department, kind, changed, looked, total
    case startedAt = "started_ms"
    case finishedAt = "finished_ms"
  }
}

/// A department that was paused or resumed.
package struct PauseDocument: AnswerDocument {
  package var department: Department
  package var paused: Bool
  /// Whether `paused` is new.
  package var changed: Bool

  package init(department: Department, paused: Bool, changed: Bool) {
    self.department = department
    self.paused = paused
    self.changed = changed
  }
}

/// The workers that were told to have another number of tellers. `status` shows when they have it.
package struct ResizeDocument: AnswerDocument {
  package struct Worker: Hashable, Sendable, Codable {
    package var id: WorkerID
    package var name: String
    package var before: Int
    package var tellers: Int

    package init(id: WorkerID, name: String, before: Int, tellers: Int) {
      self.id = id
      self.name = name
      self.before = before
      self.tellers = tellers
    }
  }

  package var department: Department
  package var workers: [Worker]

  package init(department: Department, workers: [Worker]) {
    self.department = department
    self.workers = workers
  }
}

/// The place of a job after its move.
package struct RerankDocument: AnswerDocument {
  package var job: JobID
  package var state: JobState
  package var priority: Priority
  package var rank: Int?

  package init(job: JobID, state: JobState, priority: Priority, rank: Int?) {
    self.job = job
    self.state = state
    self.priority = priority
    self.rank = rank
  }
}

/// A key that was given back.
package struct KeyDocument: AnswerDocument {
  package var kind: JobKind
  package var key: String
  /// Whether it was taken.
  package var changed: Bool

  package init(kind: JobKind, key: String, changed: Bool) {
    self.kind = kind
    self.key = key
    self.changed = changed
  }
}
