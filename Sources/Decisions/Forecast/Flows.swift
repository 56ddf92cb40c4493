package import JobModel

/// The flow of each department: its rates, its busy time, its forecasts. Only this type counts them. Of each department it
/// keeps values of one size, however many jobs there are, and of the flow it knows nothing before this process.
package final class Flows {
  /// What is known of one department.
  private struct Entry {
    var flow: DepartmentFlow
    var busy: BusyTime
    var past = PastForecasts()
  }

  private var entries: [Department: Entry] = [:]
  private let began: Duration

  /// `began`: on the session's clock.
  package init(since began: Duration) { self.began = began }

  /// Counts a turn, at a moment of the session's clock and the same of the ledger's time.
  package func count(_ turn: FlowTurn, in department: Department, at now: Duration, _ time: Timestamp) {
    change(department) { entry in
      entry.flow.count(turn, at: now)
      entry.busy.see(unfinished: turn.unfinished, at: time)
      // A job that ends without a run is done sooner than any forecast says.
      if turn.endedUnrun > 0 { entry.past.forgetOpen() }
      entry.past.ended(turn.ran.count, at: now)
    }
  }

  /// Looks at a department, and has its forecast held against what happens. `subject` says how it stands.
  package func look(
    of department: Department, at now: Duration, _ time: Timestamp, _ subject: (FlowRates) -> ForecastSubject
  ) {
    change(department) { entry in
      let subject = subject(entry.flow.rates(at: now))
      entry.flow.see(tellers: subject.tellers, at: now)
      entry.busy.see(unfinished: subject.unfinished, at: time)
      guard subject.isOpen else { return entry.past.forgetOpen() }
      if let time = subject.forecast.drainsIn { entry.past.make(time, jobs: subject.unfinished, at: now) }
    }
  }

  /// The rates of a department.
  package func rates(of department: Department, at now: Duration) -> FlowRates {
    (entries[department]?.flow ?? DepartmentFlow(since: began)).rates(at: now)
  }

  /// How wrong its last forecasts were; nil: none has come to its time.
  package func errors(of department: Department) -> ForecastErrors? { entries[department]?.past.errors }

  package func busyTime(of department: Department) -> BusyTime { entries[department]?.busy ?? BusyTime() }

  /// The departments that are busy, and since when.
  package var busySince: [Department: Timestamp] { entries.compactMapValues { $0.busy.since } }

  /// A department is busy since that moment, as an earlier process has recorded it.
  package func takeUp(_ department: Department, busySince: Timestamp) {
    change(department) { if $0.busy == BusyTime() { $0.busy = BusyTime(since: busySince) } }
  }

  private func change(_ department: Department, _ body: (inout Entry) -> Void) {
    body(&entries[department, default: Entry(flow: DepartmentFlow(since: began), busy: BusyTime())])
  }
}
