import AuditSupport
import Bookkeeping
import JobModel
import JobTransport
import Ledger

/// What an operator is told at any moment is what is recorded then.
struct Looks {
  let node: CoordinatorNode
  var world: World { node.world }

  init(_ node: CoordinatorNode) { self.node = node }

  /// How many jobs it asks about.
  private static let asked = 4

  func look() async throws {
    guard node.phase == .serving, !node.isFailing else { return }
    let reading = try node.file.reading
    let (tallies, open) = (try reading.tallies(), try reading.openRows())
    let books = try node.books
    let status = try await books.status(broker: .connected, at: try node.withBooks { $0.monotonic })
    for department in status.departments {
      compare(department, tallies[department.department] ?? LedgerTally())
      checkWindow(department)
    }
    for row in try reading.beside() { checkPart(row.department, row.kind, row.jobs, row.levels) }
    for job in open.shuffled(using: &world.random).prefix(Looks.asked) {
      check(job, try await books.explain(job.id))
    }
    try await count(reading, books)
    try await lookAhead()
    for assignment in world.released.suffix(Looks.asked) { try await node.checkProgress(of: assignment.release.job) }
  }

  private func fail(_ text: String) { world.failures.append("\(node.name) is asked, and \(text)") }

  func compare(_ status: DepartmentStatus, _ ledger: LedgerTally) {
    var told = LedgerTally()
    (told.held, told.delayed, told.retrying, told.dependent) =
      (status.held, status.delayed, status.retrying, status.dependent)
    (told.unserved, told.suspects, told.released) = (status.unserved, status.suspects, status.queued + status.running)
    (told.succeeded, told.failed, told.cancelled) = (status.succeeded, status.failed, status.cancelled)
    (told.unsettled, told.void) = (status.unsettled, status.void)
    if told != ledger { fail("says of \(status.department) \(told), and the ledger has \(ledger)") }
    if status.running < 0 || status.queued < 0 { fail("counts fewer than no jobs of \(status.department)") }
  }

  /// No more jobs are released than the largest window of the schedule, with its reserves, has places for.
  func checkWindow(_ status: DepartmentStatus) {
    let most = world.mostReleased[status.department] ?? Int.max
    let released = status.queued + status.running
    if released > most { fail("\(released) jobs of \(status.department) are released, and there are \(most) places") }
  }

  /// The queue of a kind has no more than its part of the shared window, beside one job in the reserve of each level.
  func checkPart(_ department: String, _ kind: String, _ jobs: Int, _ levels: Int) {
    guard let most = world.mostBeside[department], jobs > most + levels else { return }
    fail("\(jobs) jobs of kind \(kind) are in its own queue, and its part of \(department) has \(most) places")
  }

  /// What is foreseen agrees with what is there.
  func lookAhead() async throws {
    guard node.phase == .serving else { return }
    let now = try node.withBooks { $0.monotonic }
    for board in try await node.books.showBoard(BoardQuery(), broker: .connected, at: now).departments {
      check(board.forecast, board.status)
    }
  }

  /// Where there are as many tellers as jobs, each of these has a teller, and one teller more changes nothing.
  func check(_ forecast: DepartmentForecast, _ status: DepartmentStatus) {
    let jobs = status.held + status.queued + status.running
    guard jobs <= status.tellers, let time = forecast.drainsIn, let other = forecast.drainsInWithOneMore else { return }
    world.sometimes.note(.foreseen)
    if time != other {
      fail("foresees \(time) for \(jobs) jobs of \(status.department), \(other) with over \(status.tellers) tellers")
    }
  }

  func check(_ job: LedgerOpenJob, _ told: JobExplanation?) {
    guard let told else { return fail("knows nothing of \(job.id)") }
    let holds = Set(told.reasons.map(\.hold))
    if told.reasons.isEmpty { fail("has no reason why \(job.id) waits") }
    guard job.isHeld else { return }
    if job.openDependencies > 0, !holds.contains(.after) { fail("forgets that \(job.id) waits for others: \(told)") }
    if job.withheld == 2, !holds.contains(.suspect) { fail("forgets that \(job.id) waits for its turn: \(told)") }
    if job.hasTime, holds.isDisjoint(with: [.schedule, .retry, .snooze, .restored]) {
      fail("forgets that \(job.id) waits for a time: \(told)")
    }
    if job.hasTime, job.lastAttempt == "snoozed", !holds.contains(.snooze), !holds.contains(.restored) {
      fail("forgets that \(job.id) was put off: \(told)")
    }
    let hasNone = told.reasons.contains {
      $0.text.hasPrefix("no worker of") && $0.text.contains("(asked: ") && !$0.text.contains("did you mean")
    }
    // Nobody can tell what is meant where workers do not say which handlers they have.
    if told.kind == "quik", hasNone, isEachNamed {
      fail("does not say what \(told.kind) may mean: \(told)")
    }
  }

  private var isEachNamed: Bool { world.workers.allSatisfy(\.setting.namesKinds) }

  private func count(_ reading: AuditSupport.LedgerReading, _ books: Bookkeeper) async throws {
    guard let department = world.some(of: Departments.plain), let kind = world.some(of: HandlerKinds.sorted) else {
      return
    }
    let counted = try await books.count(.cancel, department: department, kind: kind)
    let recorded = try reading.counts(of: department, kind)
    guard counted.held != recorded.held || counted.queued + counted.running != recorded.released else {
      return
    }
    fail("counts \(counted) of kind \(kind), and the ledger has \(recorded)")
  }
}
