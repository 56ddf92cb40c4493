/// How many jobs a command about many jobs would change if it were given at this moment.
public struct JobCount: Hashable, Sendable, Codable {
  /// The command.
  public var action: JobOperation.Action
  /// The department of the jobs; nil: any.
  public var department: Department?
  /// The kind of the jobs; nil: any.
  public var kind: JobKind?
  /// What else the jobs have in common; nil: nothing more was asked for.
  public var filter: JobNarrowing?
  /// How many jobs there are, in any of these states.
  public var jobs: Int
  /// How many jobs are held, for a cancel or a reset.
  public var held: Int
  /// How many jobs are in their queue, for a cancel or a reset.
  public var queued: Int
  /// How many jobs are known to run, for a cancel or a reset.
  public var running: Int
  /// How many failed jobs were neither replayed nor dropped, for a replay or a drop.
  public var failed: Int
  /// How many plans that run would end with their jobs: for a reset, and for a cancel of a department or of all jobs.
  public var plans: Int

  /// The count for a cancel or a reset.
  package init(
    _ action: JobOperation.Action, department: Department?, kind: JobKind?, filter: JobNarrowing? = nil, held: Int,
    queued: Int, running: Int, plans: Int
  ) {
    (self.action, self.department, self.kind, self.filter) = (action, department, kind, filter)
    (self.held, self.queued, self.running, failed, self.plans) = (held, queued, running, 0, plans)
    jobs = held + queued + running
  }

  /// The count for a replay or a drop.
  package init(
    _ action: JobOperation.Action, department: Department?, kind: JobKind?, filter: JobNarrowing? = nil, failed: Int
  ) {
    (self.action, self.department, self.kind, self.filter) = (action, department, kind, filter)
    (held, queued, running, self.failed, plans) = (0, 0, 0, failed, 0)
    jobs = failed
  }
}
