import AuditSupport
import JobModel
import Testing

@testable import Bookkeeping
@testable import Simulator

/// The rules of what a coordinator takes from workers, of the company of jobs at which workers died, and of time.
@Suite("The simulator's rules of workers")
struct WorkerRulesTests {
  private static let worker = WorkerID("worker")

  private func presence(_ session: Int, of department: String = "work", isGoodbye: Bool = false) -> PresenceMessage {
    .presence(
      Presence(
        worker: Self.worker, session: session, name: "worker", tellers: [department: 1], ledger: nil, probe: 0,
        running: [], isGoodbye: isGoodbye))
  }

  private func note(
    _ messages: [PresenceMessage], _ heard: inout HeardConnections, isKnown: Bool = true
  ) -> Set<WorkerID> {
    heard.note(messages, known: isKnown ? [Self.worker] : [], departments: ["work"])
  }

  @Test("what comes of an earlier connection alone is known as that")
  func earlier() {
    var heard = HeardConnections()
    #expect(note([presence(2)], &heard) == [])
    #expect(note([presence(1)], &heard) == [Self.worker])
    #expect(note([presence(1), presence(2)], &heard) == [])
    #expect(note([presence(3)], &heard) == [])
    #expect(note([presence(2)], &heard) == [Self.worker])
  }

  @Test("nothing is earlier for one that is new, has gone, or was refused")
  func forgotten() {
    for latest in [presence(2, isGoodbye: true), presence(2, of: "other")] {
      var heard = HeardConnections()
      #expect(note([presence(2), latest], &heard) == [])
      #expect(note([presence(1)], &heard) == [])
    }
    var heard = HeardConnections()
    #expect(note([presence(2)], &heard) == [])
    #expect(note([presence(1)], &heard, isKnown: false) == [])
  }

  @Test("finds company of a suspect, but not what comes behind it, or is being taken back")
  func company() {
    let job = JobID()
    func ahead(_ changes: [JobChange] = [], _ runs: [Run] = [], alive: Set<Int32> = []) -> JobID? {
      Company(jobs: [job], runs: runs, alive: alive).ahead(of: changes)
    }
    #expect(ahead() == job)
    let identity = JobIdentity(id: job, kind: "quick", department: "work")
    #expect(ahead([JobChange(job: identity, plan: nil, from: .held, to: .queued)]) == nil)
    #expect(ahead([JobChange(job: identity, plan: nil, from: .queued, to: .held)]) == job)
    let began = Run(job: job, attempt: 1, pid: 100, began: Moment(nanoseconds: 1))
    let ended = Run(
      job: job, attempt: 1, pid: 100, began: Moment(nanoseconds: 1), ended: Moment(nanoseconds: 2), end: .succeeded)
    #expect(ahead([], [began]) == nil)
    #expect(ahead([], [began], alive: [100]) == job)
    #expect(ahead([], [began, ended]) == job)
    #expect(ahead([], [ended, began]) == nil)
  }

  @Test("reads the company of a suspect from the ledger")
  func readsCompany() throws {
    let bench = try RuleBench()
    let suspect = try bench.job(["deaths": "2"])
    let row = ["department": "'capped'", "state": "1", "release": "3", "token": "3", "deaths": "1"]
    let other = try bench.job(row)
    // One that was given to a worker, was at no death, waits, or is in the suspect's own department.
    for change in ["token": "4", "deaths": "0", "state": "0", "department": "'work'"] {
      try bench.job(row.merging([change.key: change.value]) { $1 })
    }
    #expect(try bench.node.file.reading.company(of: suspect) == [other])
    #expect(try bench.node.file.reading.company(of: other).isEmpty)
  }

  @Test("finds a department that is paused for a report that does not count")
  func pauses() throws {
    let bench = try RuleBench()
    try bench.write("department", ["name": "'work'", "paused": "1"])
    let cases: [(Set<String>, Bool, Bool)] = [([], false, true), ([], true, false), (["work"], false, false)]
    for (before, isAsked, isWrong) in cases {
      try bench.node.checkPauses(since: CoordinatorNode.PausedBefore(departments: before, isAsked: isAsked))
      #expect(bench.found().isEmpty != isWrong)
    }
  }

  @Test("finds a ledger's time that has leapt")
  func time() throws {
    let bench = try RuleBench()
    try bench.node.checkTime()
    try bench.node.checkTime()
    #expect(bench.found().isEmpty)
    bench.node.timeAhead = 2_000
    try bench.node.checkTime()
    #expect(bench.found().count == 1)
  }
}
