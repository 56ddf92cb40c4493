import JobModel
import Testing

@testable import Decisions

@Suite("The roster of workers")
struct RosterTests {
  private let worker = WorkerID("w")

  private func entry(_ tellers: [String: Int] = ["work": 2], owner: String? = "u") -> Roster.Entry {
    Roster.Entry(name: "desk", tellers: tellers, session: 1, owner: owner, wanted: ["work": 3])
  }

  private func presence(kinds: Set<JobKind>? = nil, isDraining: Bool = false) -> Presence {
    Presence(
      worker: worker, session: 2, name: "desk", tellers: ["work": 4], kinds: kinds, ledger: nil, probe: 0, running: [],
      isDraining: isDraining)
  }

  @Test("what a worker says replaces what it said; its owner and what it was told to have stay")
  func heard() {
    let roster = Roster(lease: .seconds(5))
    roster.expect(worker, entry(), at: .zero)
    roster.greet(worker)
    _ = roster.saw(presence(), at: .seconds(1))
    let known = roster.workers[worker]
    #expect(known?.tellers == ["work": 4] && known?.session == 2)
    #expect(known?.owner == "u" && known?.wanted == ["work": 3] && known?.isGreeted == true)
    #expect(roster.tellers(of: "work") == 4)
  }

  @Test("a worker that was not expected is not counted on, whatever it says")
  func unknown() {
    let roster = Roster(lease: .seconds(5))
    #expect(!roster.saw(presence(), at: .zero))
    #expect(roster.workers.isEmpty)
  }

  @Test("new handlers are news once; a worker that drains has none")
  func handlers() {
    let roster = Roster(lease: .seconds(5))
    roster.expect(worker, entry(), at: .zero)
    #expect(roster.saw(presence(kinds: ["deposit"]), at: .zero))
    #expect(!roster.saw(presence(kinds: ["deposit"]), at: .zero))
    #expect(roster.route(of: "deposit", in: "work") == .department)
    #expect(roster.route(of: "loan", in: "work") == .nowhere)
    #expect(roster.saw(presence(kinds: ["deposit"], isDraining: true), at: .zero))
    #expect(roster.route(of: "loan", in: "work") == .department, "nobody serves the department now")
  }

  @Test("a share stays when the worker is welcomed again, and a new session begins without any")
  func shares() {
    let roster = Roster(lease: .seconds(5))
    roster.expect(worker, entry(), at: .zero)
    #expect(roster.share(["work": ["loan": 1]], to: worker))
    #expect(!roster.share(["work": ["loan": 1]], to: worker))
    roster.expect(worker, entry(), at: .zero)
    #expect(roster.isServed(JobQueue("work", kind: "loan")))
    roster.begin(with: [(worker, entry(), nil)], at: .zero)
    #expect(!roster.isServed(JobQueue("work", kind: "loan")))
  }

  @Test("a queue is idle when nothing is in it and no teller serves it, or when nobody can run what is in it")
  func idle() {
    let roster = Roster(lease: .seconds(5))
    let queue = JobQueue("work", kind: "loan")
    roster.expect(worker, entry(), at: .zero)
    _ = roster.saw(presence(kinds: ["loan"]), at: .zero)
    #expect(roster.idle([queue]) { _ in false } == [queue])
    #expect(roster.idle([queue]) { _ in true } == [])
    _ = roster.share(["work": ["loan": 1]], to: worker)
    #expect(roster.idle([queue]) { _ in false } == [])
    _ = roster.saw(presence(kinds: ["deposit"]), at: .zero)
    #expect(roster.idle([queue]) { _ in true } == [queue])
  }

  @Test("a lease passes when nothing is heard, and not while nobody can be")
  func leases() {
    let roster = Roster(lease: .seconds(5))
    roster.expect(worker, entry(), at: .zero)
    roster.pause(at: .zero)
    for second in 1...10 { #expect(roster.tick(at: .seconds(second)).isEmpty) }
    roster.resume(at: .seconds(10))
    #expect((11...14).flatMap { roster.tick(at: .seconds($0)) }.isEmpty)
    #expect(roster.tick(at: .seconds(15)) == [worker])
    #expect(roster.forget(worker)?.name == "desk")
    #expect(!roster.isWelcome(worker))
  }
}
