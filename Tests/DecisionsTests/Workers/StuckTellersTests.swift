import JobModel
import Testing

@testable import Decisions

@Suite("Tellers whose handlers do not end")
struct StuckTellersTests {
  private let jobs = [JobID(), JobID(), JobID()]

  /// Workers `a` with two tellers and the kind "deposit" alone, and `b` with one teller and both kinds.
  private func roster(stuck: [String: Int]) -> Roster {
    let roster = Roster(lease: .seconds(5))
    let workers: [(String, Int, Set<JobKind>)] = [("a", 2, ["deposit"]), ("b", 1, ["deposit", "loan"])]
    for (name, tellers, kinds) in workers {
      let worker = WorkerID(name)
      roster.expect(
        worker, Roster.Entry(name: name, tellers: ["work": tellers], session: 1, owner: nil, wanted: [:]), at: .zero)
      let count = stuck[name] ?? 0
      let running = jobs.prefix(min(count, tellers)).map {
        RunningRelease(release: ReleaseID(job: $0, number: 1), token: 1, isStuck: true)
      }
      let presence = Presence(
        worker: worker, session: 1, name: name, tellers: ["work": tellers, "other": 1], kinds: kinds,
        stuck: count > 0 ? ["work": count] : [:], ledger: nil, probe: 0, running: Array(running))
      _ = roster.saw(presence, at: .zero)
    }
    return roster
  }

  private func stuck(_ stuck: [String: Int], kind: JobKind? = nil) -> StuckTellers {
    roster(stuck: stuck).stuckTellers(of: "work", kind: kind)
  }

  @Test("are counted over all workers, for the queue of a kind over those that serve it; never more than there are")
  func counted() {
    let none = stuck([:])
    #expect([none.count, none.tellers] == [0, 3] && none.workers.isEmpty)
    let one = stuck(["a": 1])
    #expect([one.count, one.tellers] == [1, 3] && one.workers == ["a"])
    let all = stuck(["a": 9, "b": 1])
    #expect([all.count, all.tellers] == [3, 3] && all.workers == ["a", "b"])
    let loans = stuck(["b": 1], kind: "loan")
    #expect([loans.count, loans.tellers] == [1, 1] && loans.workers == ["b"])
    #expect(stuck(["a": 2], kind: "loan").count == 0, "nobody who serves it")
    let roster = roster(stuck: ["a": 9])
    #expect(roster.stuck(of: "work") == 2 && roster.stuck(of: "other") == 0)
  }

  @Test(
    "are all of them only where there is one, and none is left",
    arguments: [(0, 0, false), (0, 1, false), (1, 2, false), (1, 1, true), (2, 2, true)])
  func all(count: Int, tellers: Int, areAll: Bool) {
    var stuck = StuckTellers()
    (stuck.count, stuck.tellers) = (count, tellers)
    #expect(stuck.areAll == areAll)
  }

  @Test("those of a worker that drains take no jobs, stuck or not")
  func draining() {
    let roster = roster(stuck: ["a": 1, "b": 1])
    _ = roster.saw(
      Presence(
        worker: WorkerID("a"), session: 1, name: "a", tellers: ["work": 2], stuck: ["work": 1], ledger: nil, probe: 0,
        running: [], isDraining: true), at: .zero)
    let left = roster.stuckTellers(of: "work")
    #expect([left.count, left.tellers] == [1, 1] && left.workers == ["b"])
  }

  @Test("numbers that no worker should send neither hide others nor overflow", arguments: [Int.min, -1, Int.max])
  func hostile(count: Int) {
    let roster = roster(stuck: ["b": 1])
    for name in ["c", "d"] {
      roster.expect(
        WorkerID(name), Roster.Entry(name: name, tellers: [:], session: 1, owner: nil, wanted: [:]), at: .zero)
      _ = roster.saw(
        Presence(
          worker: WorkerID(name), session: 1, name: name, tellers: ["other": 1], stuck: ["work": count], ledger: nil,
          probe: 0, running: []), at: .zero)
    }
    #expect(roster.stuck(of: "work") == 1)
  }
}
