import Decisions
import JobModel
import Ledger
import Logging

/// The state of the coordinator: each piece of it belongs to one type, which alone changes it. A step of the flow is
/// handed the parts that it needs (``Steps``).
struct Parts {
  /// Counts, windows and closures of departments; the queues of kinds.
  let departments: Departments
  /// Jobs that are released, and void releases.
  let releases = Releases()
  /// Workers, their leases, handlers and shares.
  let roster: Roster
  /// Who asks whether a release may run.
  let book = ClaimBook()
  /// Jobs that may have ended workers, and wait for their turn.
  let lines: SuspectLines
  /// Kinds that may have a handler now.
  let search: HandlerSearch
  /// Submitters and requests that wait for answers.
  let audience = Audience()
  /// Jobs that wait for jobs.
  let dependents = Dependents()
  /// What decides the plans that were looked at last.
  let rules = KnownRules()
  /// When held jobs are due, jobs come too late, schedules fire.
  let dueTimes = DueTimes()
  /// What came ahead of its durable message.
  let recordedEarly = RecordedEarly()
  /// Commands about many jobs that go on.
  let operations: OpenOperations
  /// Notifications that the stream does not have yet.
  let unsent = UnsentNotifications()
  /// Retention that goes on.
  let retaining: Retaining
  /// What was refused.
  let refusals: Refusals
  let time: LedgerTime
  let chance: Chance
  let epoch: LedgerEpoch
  /// What each department has accepted and ended in the last minute.
  let recent = RecentJobs()
  /// The rates, the busy time and the forecasts of each department.
  let flows: Flows
  /// What the broker took off its queues.
  let deadLetters = DeadLetterCounts()
  /// Queues whose node is down, or that were made anew.
  let brokerQueues = BrokerQueues()

  init(
    _ ledger: Ledger, _ configuration: CoordinatorConfiguration, _ clock: MachineClock, _ chance: Chance,
    _ logger: Logger
  ) {
    self.chance = chance
    departments = Departments(configuration.departments.mapValues(DepartmentBooks.init))
    roster = Roster(lease: configuration.lease)
    lines = SuspectLines(departments, releases, roster)
    search = HandlerSearch(departments, roster)
    operations = OpenOperations(departments)
    time = LedgerTime(clock, logger)
    refusals = Refusals(time, logger)
    epoch = LedgerEpoch(ledger.epoch, of: ledger.id)
    retaining = Retaining(configuration.retention, departments, time)
    flows = Flows(since: time.began)
  }

  /// The parts go on with another configuration.
  func takeOver(_ configuration: CoordinatorConfiguration) {
    departments.configure(configuration.departments.mapValues(DepartmentBooks.init))
    roster.lease = configuration.lease
    retaining.retention = configuration.retention
    dueTimes.forgetAgenda()
  }
}
