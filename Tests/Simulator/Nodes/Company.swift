import AuditSupport
import Bookkeeping
import JobModel
import JobTransport

// A job that was running at two deaths of workers begins where no other one can be the cause of the next death.
extension Load {
  /// A job that ends two workers, and at its second run has others beside it in another department.
  func deadly() {
    var first = job("quick", Script(length: .milliseconds(2_500), .kill, times: 2), attempts: 8)
    first.department = Departments.work
    world.killers += 1
    world.atSecondRun[first.id] = { [unowned world, client] in
      let load = Load(world: world, client: client)
      for _ in 1...world.number(1...3) {
        var other = load.job("quick", Script(length: .milliseconds(world.number(2_600...4_000))), attempts: 8)
        other.department = world.some(of: [Departments.capped, Departments.ahead])
        client.submit(other, Wanted())
      }
    }
    client.submit(first, Wanted(outcomes: [.succeeded, .failed]))
  }
}

extension CoordinatorNode {
  /// Patience with company has an end, and so has the time in which it counts.
  private static let patience: Duration = .seconds(590)

  /// A suspect is not released as long as a job that was running at one death is in a queue of the same workers.
  func checkCompany(of id: JobID, in changes: [JobChange]) {
    guard world.runs.count(where: { $0.job == id }) > 1, world.now < CoordinatorNode.patience, !world.wasUnserved,
      !world.isRolledBack, !world.otherLedgerServed, (try? withBooks { $0.awaitedWorkers.isEmpty }) == false,
      let company = try? file.reading.company(of: id)
    else { return }
    let alive = Set(world.workers.filter(\.isAlive).map(\.pid))
    guard let other = Company(jobs: company, runs: world.runs, alive: alive).ahead(of: changes) else { return }
    world.failures.append(
      "\(name) releases \(id), at which workers died, and \(other) is in a queue of the same workers")
  }
}

/// The jobs in queues of the same workers that may be the cause of the next death as well as a suspect.
struct Company {
  let jobs: [JobID]
  let runs: [Run]
  /// The processes of the workers that live.
  let alive: Set<Int32>

  /// One that is there before the suspect is released; `changes`: of the turn that releases it.
  func ahead(of changes: [JobChange]) -> JobID? {
    // Those that are released in the same turn come behind it.
    let later = changes.filter { $0.to == .queued && ($0.from == .held || $0.from == nil) }.map(\.job.id)
    let ahead = Set(jobs).subtracting(later).filter { !isBeingTakenBack($0) }
    return ahead.min { $0.description < $1.description }
  }

  /// Whether a job ran last in a process that is dead: it comes into its queue behind those that are taken back with it.
  private func isBeingTakenBack(_ job: JobID) -> Bool {
    guard let last = runs.last(where: { $0.job == job }), last.ended == nil else { return false }
    return !alive.contains(last.pid)
  }
}
