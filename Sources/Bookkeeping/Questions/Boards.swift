import Decisions
package import JobModel
package import Ledger

/// All departments, and the next jobs of some of them.
extension Bookkeeper {
  /// The ledger is read first, and then the memory. An event in between is behind ``Board/through``, and the numbers have
  /// it already: up to ``Board/counted``.
  package func showBoard(
    _ query: BoardQuery, broker: BrokerState, at now: Duration
  ) async throws(LedgerError) -> Board {
    let scopes = query.departments.compactMap { department in
      parts.departments.books[department].flatMap { NextScope(department, $0) }
    }
    let read = try await ledger.read { queries in
      (last: try queries.lastNotification(), next: try queries.nextJobs(of: scopes, limit: query.limit))
    }
    let waits = try await departmentWaits()
    let rows = BoardRows(
      parts, departments: Set(query.departments), next: read.next, ageing: steps.releasing.ageing,
      limit: query.limit)
    let clock = parts.time.clock
    return Board(
      at: clock.wallTime(of: parts.time.now), ledger: ledger.id, epoch: read.last.epoch, through: read.last.seq,
      counted: max(read.last.seq, lastNotification), coordinator: coordinatorStatus,
      broker: BrokerStatus(state: broker), workers: parts.roster.workers.count,
      operations: parts.operations.list.map { JobOperation($0, by: clock) },
      lastReset: parts.operations.lastReset.map { JobOperation($0, by: clock) },
      departments: departmentStatuses(waits, at: now).map { departmentBoard($0, rows, at: now) })
  }

  private func departmentBoard(_ status: DepartmentStatus, _ rows: BoardRows, at now: Duration) -> DepartmentBoard {
    let (clock, department) = (parts.time.clock, status.department)
    let busy = parts.flows.busyTime(of: department)
    return DepartmentBoard(
      status: status, forecast: forecast(of: status, at: now), busySince: busy.since.map(clock.wallTime),
      lastBusy: busy.last.map { (clock.wallTime(of: $0.since), clock.wallTime(of: $0.until)) },
      waiting: rows.waiting[department] ?? [], running: rows.running[department] ?? [])
  }

  private func forecast(of status: DepartmentStatus, at now: Duration) -> DepartmentForecast {
    let rates = parts.flows.rates(of: status.department, at: now)
    var forecast = parts.subject(of: status.department, running: status.running, rates).forecast
    forecast.past = parts.flows.errors(of: status.department)
    return forecast
  }

  /// Looks at each department, and has its forecast held against what happens. This looks at every released job.
  package func lookAtFlows(at now: Duration) {
    guard (try? checkThatMemoryHolds()) != nil else { return }
    let running = parts.releases.live.running
    for department in parts.departments.books.keys {
      let unfinished = parts.departments[department].busyCount
      parts.flows.look(at: department, unfinished: unfinished, at: now, parts.time.now) {
        parts.subject(of: department, running: running[department] ?? 0, $0)
      }
    }
  }
}

extension Parts {
  /// How a department stands, for its forecast.
  fileprivate func subject(of department: Department, running: Int, _ rates: FlowRates) -> ForecastSubject {
    let (books, tellers) = (departments[department], roster.tellers(of: department))
    var rates = rates
    if books.isOrdered { rates.service = rates.serviceInOrder }
    return ForecastSubject(
      waiting: max(0, books.servableCount - running), running: running,
      blocked: books.busyCount - books.servableCount, tellers: books.usedTellers(of: tellers),
      isGrowable: books.isGrowable(beyond: tellers), isOpen: books.isOpen, rates: rates)
  }
}

extension NextScope {
  /// Nil: the department holds no job that is served next.
  fileprivate init?(_ department: Department, _ books: DepartmentBooks) {
    guard books.heldCount > 0 else { return nil }
    let withheld = [(Withheld.handler, books.unserved), (.suspect, books.suspects)].filter { $0.1 > 0 }.map(\.0)
    self.init(
      department, isOrdered: books.isOrdered, readyLevels: Priority.all.filter { books.ready[$0.level] > 0 },
      withheld: withheld)
  }
}

extension LedgerQueries {
  fileprivate func nextJobs(of scopes: [NextScope], limit: Int) throws -> [Department: [NextJob]] {
    try scopes.reduce(into: [:]) { $0[$1.department] = try nextJobs($1, limit: limit) }
  }
}
