import JobModel
import Testing

@testable import AuditSupport
@testable import Simulator

/// What an operator is told, and is not so.
@Suite("The simulator's rules of what operators are told")
struct LooksTests {
  private func status(queued: Int = 1, running: Int = 1, tellers: Int = 2) -> DepartmentStatus {
    DepartmentStatus(
      department: "work", isOrdered: false, isPaused: false, window: 10, cap: nil, tellers: tellers, held: 0,
      delayed: 0, dependent: 0, void: 0, queued: queued, running: running, succeeded: 0, failed: 0, cancelled: 0)
  }

  @Test("finds each number of a department that is not the ledger's")
  func numbers() throws {
    let bench = try RuleBench()
    let looks = Looks(bench.node)
    var ledger = LedgerTally()
    ledger.released = 2
    looks.compare(status(), ledger)
    #expect(bench.found().isEmpty)
    let fields: [WritableKeyPath<LedgerTally, Int>] = [
      \.held, \.delayed, \.retrying, \.dependent, \.unserved, \.suspects, \.released, \.succeeded, \.failed,
      \.cancelled, \.unsettled, \.void,
    ]
    for field in fields {
      var other = ledger
      other[keyPath: field] += 1
      looks.compare(status(), other)
      #expect(bench.found().count == 1)
    }
    looks.compare(status(queued: 3, running: -1), ledger)
    #expect(bench.found().count == 1)
  }

  @Test("finds more released jobs than there are places, in a department and in the queue of a kind")
  func places() throws {
    let bench = try RuleBench()
    let looks = Looks(bench.node)
    for (most, isWrong) in [(2, false), (1, true)] {
      bench.world.mostReleased["work"] = most
      looks.checkWindow(status())
      #expect(bench.found().isEmpty != isWrong)
    }
    bench.world.mostBeside["work"] = 3
    for (jobs, isWrong) in [(5, false), (6, true)] {
      looks.checkPart("work", "aside", jobs, 2)
      #expect(bench.found().isEmpty != isWrong)
    }
  }

  @Test("counts the jobs in the queue of a kind, and their levels")
  func beside() throws {
    let bench = try RuleBench()
    for priority in [1, 1, 2] {
      try bench.job(["state": "1", "beside": "1", "kind": "'aside'", "priority": "\(priority)"])
    }
    try bench.job(["state": "1", "kind": "'aside'"])
    let rows = try bench.node.file.reading.beside()
    #expect(rows.count == 1)
    #expect(rows.first?.jobs == 3 && rows.first?.levels == 2)
  }

  @Test("finds a forecast by which one teller more would help where each job has one")
  func forecast() throws {
    let bench = try RuleBench()
    let looks = Looks(bench.node)
    for (tellers, other, isWrong) in [(2, 1, false), (2, 2, true), (1, 2, false)] {
      var forecast = DepartmentForecast(course: .drains)
      forecast.drainsIn = .seconds(1)
      forecast.drainsInWithOneMore = .seconds(other)
      looks.check(forecast, status(tellers: tellers))
      #expect(bench.found().isEmpty != isWrong)
    }
  }

  private func open(
    hasTime: Bool = false, dependencies: Int = 0, withheld: Int = 0, lastAttempt: String? = nil
  ) -> LedgerOpenJob {
    LedgerOpenJob(
      id: JobID(), isHeld: true, hasTime: hasTime, openDependencies: dependencies, withheld: withheld,
      lastAttempt: lastAttempt)
  }

  private func told(_ hold: JobExplanation.Hold?, _ text: String = "", kind: JobKind = "quick") -> JobExplanation {
    JobExplanation(
      job: JobID(), state: .held, kind: kind, department: "work",
      reasons: hold.map { [JobExplanation.Reason(hold: $0, text: text)] } ?? [])
  }

  @Test("finds a job of which nothing, or no reason, is told")
  func silence() throws {
    let bench = try RuleBench()
    let looks = Looks(bench.node)
    looks.check(open(), nil)
    #expect(bench.found().count == 1)
    looks.check(open(), told(nil))
    #expect(bench.found().count == 1)
    looks.check(open(), told(.window))
    #expect(bench.found().isEmpty)
  }

  @Test("finds each reason that is forgotten")
  func reasons() throws {
    let bench = try RuleBench()
    let looks = Looks(bench.node)
    let cases: [(LedgerOpenJob, JobExplanation.Hold)] = [
      (open(dependencies: 1), .after), (open(withheld: 2), .suspect), (open(hasTime: true), .schedule),
      (open(hasTime: true), .retry), (open(hasTime: true, lastAttempt: "snoozed"), .snooze),
      (open(hasTime: true, lastAttempt: "snoozed"), .restored),
    ]
    for (job, hold) in cases {
      looks.check(job, told(hold))
      #expect(bench.found().isEmpty)
      looks.check(job, told(.window))
      #expect(!bench.found().isEmpty)
    }
    looks.check(open(hasTime: true, lastAttempt: "snoozed"), told(.schedule))
    #expect(bench.found().count == 1)
  }

  @Test("finds that nobody is told what a kind with a slip of the pen may mean")
  func slip() throws {
    let bench = try RuleBench()
    let looks = Looks(bench.node)
    let text = "no worker of work has a handler (asked: worker1)"
    looks.check(open(), told(.handler, text, kind: "quik"))
    #expect(bench.found().count == 1)
    looks.check(open(), told(.handler, text + "; did you mean quick?", kind: "quik"))
    #expect(bench.found().isEmpty)
  }

  @Test("finds progress that another run has said, or nobody")
  func progress() throws {
    let bench = try RuleBench()
    let job = JobID()
    let (earlier, present) = (World.progressText(release: 1, token: 1), World.progressText(release: 1, token: 2))
    bench.world.saidProgress = ["\(job) \(earlier)"]
    #expect(bench.world.isForeign(earlier, of: job, present: present))
    #expect(bench.world.isForeign(present, of: job, present: present))
    bench.world.saidProgress.insert("\(job) \(present)")
    #expect(bench.world.isForeign(earlier, of: job, present: present))
    #expect(bench.world.isForeign(nil, of: job, present: present))
    #expect(!bench.world.isForeign(present, of: job, present: present))
  }
}
