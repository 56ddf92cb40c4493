import AuditSupport
import Bookkeeping
import Decisions
import JobModel
import JobTransport
import Testing

@testable import Simulator

/// The rules of what a coordinator tells.
@Suite("The simulator's rules of what is told")
struct TellingRulesTests {
  /// Whether it may be told.
  private func tells(_ item: Outgoing, _ bench: RuleBench) -> Bool {
    bench.node.note([item])
    return bench.found().isEmpty
  }

  private func assignment(_ job: JobID, _ number: Int) -> Assignment {
    Assignment(
      release: ReleaseID(job: job, number: number), token: number, ledger: LedgerID("ledger-1"), epoch: 1,
      kind: "quick", department: "work", priority: .normal, attempt: 1, maxAttempts: nil, mustClaim: false,
      timeout: nil, content: JobContent())
  }

  private func batch(_ numbers: [Int64?]) -> NotificationBatch {
    let notifications = numbers.map { number in
      JobModel.Notification(seq: number, event: "succeeded", at: Timestamp(milliseconds: 0))
    }
    return NotificationBatch(ledger: LedgerID("ledger-1"), epoch: 1, notifications: notifications)
  }

  @Test("finds a report that is told to be recorded while its release goes on")
  func recorded() throws {
    let bench = try RuleBench()
    let open = try bench.job(["state": "1", "release": "3"])
    let ended = try bench.job(["state": "2", "release": "3"])
    func recorded(_ job: JobID, _ number: Int) -> Bool {
      tells(.recorded(WorkerID("worker"), ReleaseID(job: job, number: number)), bench)
    }
    #expect(!recorded(open, 3))
    #expect(recorded(open, 2))
    #expect(recorded(ended, 3))
  }

  @Test("finds live news that nobody follows")
  func news() throws {
    let bench = try RuleBench()
    #expect(!tells(.news(.accepted, []), bench))
    var configuration = CoordinatorConfiguration()
    configuration.live = [.accepted]
    bench.world.allow(configuration)
    #expect(tells(.news(.accepted, []), bench))
    #expect(!tells(.news(.released, []), bench))
  }

  @Test("finds an optional event that nobody has asked for")
  func optional() throws {
    func found(_ configuration: CoordinatorConfiguration) throws -> Int {
      let bench = try RuleBench()
      bench.world.allow(configuration)
      bench.node.note(
        JobModel.Notification(
          department: "work", event: OptionalEvent.paused.rawValue, at: Timestamp(milliseconds: 0)))
      return bench.found().count
    }
    var configuration = CoordinatorConfiguration(notify: [])
    #expect(try found(configuration) == 1)
    configuration.notify = [.paused]
    #expect(try found(configuration) == 0)
    configuration.departments = ["work": DepartmentSettings(notify: [])]
    #expect(try found(configuration) == 1)
  }

  /// A coordinator that has gone on from all optional events and relayed changes to none, at 1 to 2 s and events 5 to
  /// 7.
  private func switchedOff() throws -> RuleBench {
    let bench = try RuleBench()
    let (world, node) = (bench.world, bench.node)
    var all = CoordinatorConfiguration(notify: Set(OptionalEvent.allCases))
    all.live = Set(LiveEvent.allCases)
    world.goesOn(with: all, node)
    let none = CoordinatorConfiguration(notify: [])
    try bench.write("notification", InForceTests.event(5))
    world.now = .seconds(1)
    world.mayGoOn(with: none, node)
    try bench.write("notification", InForceTests.event(7))
    world.now = .seconds(2)
    world.goesOn(with: none, node)
    return bench
  }

  @Test("finds an optional event that is recorded after it was switched off; one of before is told at any time")
  func offInEvents() throws {
    let bench = try switchedOff()
    for (number, isFound) in [(5, false), (7, false), (8, true)] as [(Int64, Bool)] {
      bench.node.note(
        JobModel.Notification(
          seq: number, department: "work", event: OptionalEvent.paused.rawValue, at: Timestamp(milliseconds: 0)))
      #expect(bench.found().isEmpty != isFound, "\(number)")
    }
  }

  @Test("finds live news of what has happened after they were switched off")
  func offInNews() throws {
    let bench = try switchedOff()
    bench.world.now = .seconds(3)
    for (milliseconds, isFound) in [(1_500, false), (2_500, true)] as [(Int64, Bool)] {
      bench.node.toldAllAt = Moment(nanoseconds: milliseconds * 1_000_000)
      #expect(tells(.news(.accepted, []), bench) != isFound)
    }
  }

  @Test("finds a release to a queue that is being removed")
  func removed() throws {
    let bench = try RuleBench()
    let release = assignment(JobID(), 1)
    bench.node.checkQueues(of: [.assignment(release)])
    #expect(bench.found().isEmpty)
    bench.node.closing[Topology.Queue.assignments(release.queue)] = release.queue
    bench.node.checkQueues(of: [.assignment(release)])
    #expect(bench.found().count == 1)
  }

  @Test("finds a release that a second ledger does not have")
  func release() {
    let release = Outgoing.assignment(assignment(JobID(), 3))
    func isWrong(lastRelease: Int?) -> Bool {
      SecondLedger.wrong(release, { _ in lastRelease.map { (state: 1, release: $0) } }) != nil
    }
    #expect(isWrong(lastRelease: nil))
    #expect(isWrong(lastRelease: 2))
    #expect(!isWrong(lastRelease: 3))
  }

  @Test("finds an outcome that a second ledger does not have")
  func outcome() {
    func isWrong(_ content: Reply.Content, state: Int?) -> Bool {
      let reply = Reply(job: JobID().description, correlationID: nil, content: content)
      return [Outgoing.reply(to: "client", reply), .acceptance(to: "client", reply)].allSatisfy { item in
        SecondLedger.wrong(item, { _ in state.map { (state: $0, release: 1) } }) != nil
      }
    }
    let outcome = Reply.Content.outcome(.succeeded(result: [], contentType: nil))
    #expect(isWrong(outcome, state: 1))
    #expect(!isWrong(outcome, state: 2))
    #expect(!isWrong(outcome, state: nil))
    #expect(!isWrong(.accepted, state: 0))
  }

  @Test("finds a notification that a second ledger does not have")
  func notification() {
    #expect(SecondLedger.wrong(batch([4, 5]), last: 4) != nil)
    #expect(SecondLedger.wrong(batch([4, 5]), last: 5) == nil)
    #expect(SecondLedger.wrong(batch([nil]), last: 0) == nil)
  }

  @Test("reads from a ledger how far it has come")
  func standing() throws {
    let bench = try RuleBench()
    let job = try bench.job(["state": "2", "release": "3"])
    let told = ["number": "7", "epoch": "1", "moment": "0", "event": "'succeeded'", "subject": job.sql]
    try bench.write("notification", told)
    let reading = try bench.node.file.reading
    let standing = try #require(try reading.standing(of: job))
    #expect(standing.state == 2 && standing.release == 3)
    #expect(try reading.standing(of: JobID()) == nil)
    #expect(try reading.lastNotification() == 7)
  }
}
