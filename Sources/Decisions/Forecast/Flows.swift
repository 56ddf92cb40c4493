package import JobModel

/// The flow of each department: its rates, its busy time, its forecasts. Only this type counts them. Of each department it
/// keeps values of one size, however many jobs there are, and of the flow it knows nothing before this process.
package final class Flows {
  /// What is known of one department.
  private struct Entry {
    var flow: DepartmentFlow
    var busy: BusyTime
    var past = PastForecasts()
    /// As they were seen last.
    var tellers = 0
  }

  private var entries: [Department: Entry] = [:]
  private let began: Duration
  /// Since when departments are busy, as the ledger has it.
  private var recorded: [Department: Timestamp] = [:]

  /// How long a department is busy before that is recorded.
  package static let shortestBusy: Duration = .seconds(1)

  /// `began`: on the session's clock.
  package init(since began: Duration) { self.began = began }

  /// Counts a turn, at a moment of the session's clock and the same of the ledger's time.
  package func count(_ turn: FlowTurn, in department: Department, at now: Duration, _ time: Timestamp) {
    change(department) { entry in
      entry.flow.count(turn, at: now)
      entry.busy.see(unfinished: turn.unfinished, at: time)
      // A job that ends without a run is done sooner than any forecast says, and one that is tried again later.
      if turn.endedUnrun > 0 || turn.retried > 0 { entry.past.forgetOpen() }
      entry.past.ended(turn.ran.count, at: now)
    }
  }

  /// Looks at a department with so many jobs that wait or run, and has its forecast held against what happens. `subject`
  /// says how it stands.
  package func look(
    at department: Department, unfinished: Int, at now: Duration, _ time: Timestamp,
    _ subject: (FlowRates) -> ForecastSubject
  ) {
    change(department) { entry in
      entry.flow.see(unfinished: unfinished, at: now)
      let subject = subject(entry.flow.rates(at: now))
      if subject.tellers != entry.tellers { entry.past.forgetOpen() }
      entry.tellers = subject.tellers
      entry.flow.see(tellers: subject.isOpen ? subject.tellers : 0, at: now)
      entry.busy.see(unfinished: unfinished, at: time)
      guard subject.isOpen else { return entry.past.forgetOpen() }
      if let time = subject.forecast.shownDrainTime { entry.past.make(time, jobs: subject.unfinished, at: now) }
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

  /// These departments are busy since those moments, as an earlier process has recorded it.
  package func takeUp(_ busySince: [Department: Timestamp]) {
    recorded = busySince
    for (department, since) in busySince {
      change(department) { if $0.busy == BusyTime() { $0.busy = BusyTime(since: since) } }
    }
  }

  /// What is recorded of busy times and is no longer so; a department that is not named has nothing to be recorded. Of times
  /// that are shorter than ``shortestBusy`` nothing is: with one job after the other that would be two writes for each.
  package func busyToRecord(at now: Timestamp) -> [Department: Timestamp?] {
    let busy = busySince.filter { now - Flows.shortestBusy >= $0.value }
    return Set(busy.keys).union(recorded.keys).reduce(into: [:]) { changes, department in
      if busy[department] != recorded[department] { changes.updateValue(busy[department], forKey: department) }
    }
  }

  /// That is recorded.
  package func noteRecorded(_ busy: [Department: Timestamp?]) {
    for (department, since) in busy { recorded[department] = since }
  }

  private func change(_ department: Department, _ body: (inout Entry) -> Void) {
    body(&entries[department, default: Entry(flow: DepartmentFlow(since: began), busy: BusyTime())])
  }
}
