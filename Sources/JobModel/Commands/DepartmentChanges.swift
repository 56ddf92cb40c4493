/// A department that was paused or resumed.
public struct DepartmentPause: Hashable, Sendable {
  /// The department.
  public var department: Department
  /// Whether the department is paused now.
  public var isPaused: Bool
  /// Whether that is new: false when the department was paused, or not paused, before.
  public var isNew: Bool

  package init(department: Department, isPaused: Bool, isNew: Bool) {
    self.department = department
    self.isPaused = isPaused
    self.isNew = isNew
  }
}

extension DepartmentPause: Codable {
  enum CodingKeys: String, CodingKey {
    case department
    case isPaused = "paused"
    case isNew = "changed"
  }
}

/// The workers of a department that were told to have another number of tellers.
public struct DepartmentResize: Hashable, Sendable, Codable {
  /// The department.
  public var department: Department
  /// The workers.
  public var workers: [Worker]

  /// How many tellers a worker may be given in one department, and have in all of them; with 0 it takes no further job.
  public static let tellerLimits = 0...10_000

  package init(department: Department, workers: [Worker]) {
    self.department = department
    self.workers = workers
  }

  /// One worker.
  public struct Worker: Hashable, Sendable, Codable, Identifiable {
    /// The worker's id.
    public var id: WorkerID
    /// The worker's name.
    public var name: String
    /// How many tellers the worker had in the department.
    public var before: Int
    /// How many tellers the worker is to have.
    public var tellers: Int

    package init(id: WorkerID, name: String, before: Int, tellers: Int) {
      self.id = id
      self.name = name
      self.before = before
      self.tellers = tellers
    }
  }
}
