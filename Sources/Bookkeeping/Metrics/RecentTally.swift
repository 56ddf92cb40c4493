import Decisions
import JobModel

extension Parts {
  /// Counts what a turn has done, for the rates of departments. `now` is on the session's clock.
  func count(_ tally: TurnTally, at now: Duration) {
    guard !tally.jobs.isEmpty else { return }
    let time = time.clock.time(at: now)
    for (department, turn) in turns(of: tally) {
      recent.count(accepted: turn.accepted, ended: turn.ran.count + turn.endedUnrun, in: department, at: now)
      flows.count(turn, in: department, at: now, time)
    }
  }

  /// What the turn did to each department, whatever the kinds of its jobs.
  private func turns(of tally: TurnTally) -> [Department: FlowTurn] {
    tally.jobs.reduce(into: [:]) { turns, jobs in
      let department = jobs.labels.department
      turns[department, default: FlowTurn(departments[department])].add(jobs)
    }
  }
}

extension FlowTurn {
  fileprivate init(_ books: DepartmentBooks) { self.init(unfinished: books.busyCount, servable: books.servableCount) }

  fileprivate mutating func add(_ jobs: TurnTally.Jobs) {
    accepted += jobs.accepted
    ran += jobs.runs
    retried += jobs.retried
    endedUnrun += max(0, jobs.ended.values.reduce(0, +) - jobs.runs.count)
  }
}
