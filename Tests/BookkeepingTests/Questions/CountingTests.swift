import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Counts, from the books")
struct CountingTests {
  private func states(_ count: JobCount) -> [Int] { [count.held, count.queued, count.running, count.failed] }

  /// In `work` one deposit runs, one is queued, three are held, and one loan is held; in `init` there is a plan of two
  /// steps, the first of which is queued.
  private func filled() async throws -> Books {
    let books = try await Books()
    let released = try await books.fillWork(2)
    let worker = WorkerID()
    try await books.present(worker)
    let running = try #require(released.first)
    try await books.present(worker, running: [RunningRelease(release: running.release, token: running.token)])
    _ = try await books.bookkeeper.setPaused("work", true)
    try await books.accept((0..<3).map { _ in Submission(id: JobID(), kind: "deposit") })
    try await books.accept(Submission(id: JobID(), kind: "loan"))
    let steps = [1, 2].map { PlanStep(name: "s\($0)", kind: "step", rank: $0) }
    let plan = PlanSubmission(id: JobID(), department: "init", steps: steps)
    _ = try await books.bookkeeper.accept([Incoming(.plan(plan))])
    return books
  }

  @Test("a cancel counts what is held, queued and running, and plans where it ends them")
  func cancels() async throws {
    let books = try await filled()
    let cases: [(Department?, JobKind?, [Int], plans: Int)] = [
      (nil, nil, [5, 2, 1, 0], 1), ("work", nil, [4, 1, 1, 0], 0), ("init", nil, [1, 1, 0, 0], 1),
      (nil, "deposit", [3, 1, 1, 0], 0), ("work", "loan", [1, 0, 0, 0], 0), ("init", "step", [1, 1, 0, 0], 0),
      ("work", "step", [0, 0, 0, 0], 0), ("capped", nil, [0, 0, 0, 0], 0),
    ]
    for (department, kind, expected, plans) in cases {
      let count = try await books.bookkeeper.count(.cancel, department: department, kind: kind)
      #expect(states(count) == expected, "\(String(describing: department)) \(String(describing: kind))")
      #expect(count.plans == plans && count.jobs == expected.reduce(0, +))
      #expect(count.action == .cancel && count.department == department && count.kind == kind)
    }
    let reset = try await books.bookkeeper.count(.reset, department: nil, kind: nil)
    #expect(states(reset) == [5, 2, 1, 0] && reset.plans == 1)
  }

  @Test("a command finds as many jobs as were counted")
  func agrees() async throws {
    for (department, kind) in [(nil, nil), ("work", nil), (nil, "deposit"), ("init", "step")]
      as [(Department?, JobKind?)]
    {
      let books = try await filled()
      let count = try await books.bookkeeper.count(.cancel, department: department, kind: kind)
      let operation = try #require(
        try await books.bookkeeper.begin(.cancel, JobSelection(department: department, kind: kind)))
      #expect(operation.total == count.jobs)
      try await books.doChores()
      let ended = try #require(try await books.bookkeeper.operationDocument(operation.id))
      #expect(ended.changed == count.jobs)
      let left = try await books.bookkeeper.count(.cancel, department: department, kind: kind)
      #expect(left.jobs == 0 && left.plans == 0)
    }
  }

  @Test("a replay and a drop count the failed jobs that nobody has looked after")
  func failed() async throws {
    let books = try await Books()
    for (kind, count) in [("deposit", 3), ("vault", 1)] as [(JobKind, Int)] {
      for _ in 0..<count {
        try await books.fail(try await books.release(Submission(id: JobID(), kind: kind)), isPermanent: true)
      }
    }
    for (department, kind, expected) in [(nil, nil, 4), ("work", nil, 3), (nil, "vault", 1), ("work", "vault", 0)]
      as [(Department?, JobKind?, Int)]
    {
      for action in [OperationRecord.Action.replay, .drop] {
        let count = try await books.bookkeeper.count(action, department: department, kind: kind)
        #expect(states(count) == [0, 0, 0, expected] && count.jobs == expected && count.plans == 0)
      }
    }
    _ = try await books.bookkeeper.begin(.drop, JobSelection(kind: "deposit"))
    try await books.doChores()
    #expect(try await books.bookkeeper.count(.replay, department: nil, kind: nil).failed == 1)
  }
}
