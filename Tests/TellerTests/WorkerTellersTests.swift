import JobModel
import Testing

@testable import Teller

/// Tellers whose changes are calls, so that they can be expected.
private final class Box {
  private var tellers: Tellers

  init(_ tellers: [Department: Int]) { self.tellers = Tellers(tellers) }

  var hasWaiting: Bool { tellers.hasWaiting }
  func take(in department: Department) -> Bool { tellers.take(in: department) }
  func free(in department: Department) { tellers.free(in: department) }
  func wait(_ delivery: Tellers.Waiting) { tellers.wait(delivery) }
  func nextToServe(in department: Department) -> Tellers.Waiting? { tellers.nextToServe(in: department) }
  func dismissWaiting() -> [UInt64] { tellers.dismissWaiting() }
}

@Suite("The tellers of a worker")
struct WorkerTellersTests {
  private func waiting(_ tag: UInt64, _ department: Department = "deposit") -> Tellers.Waiting {
    let assignment = Assignment(
      release: ReleaseID(job: JobID(), number: 1), token: 1, ledger: LedgerID("l"), kind: "echo",
      department: department, priority: .normal, attempt: 1, maxAttempts: 3, mustClaim: false, payload: [],
      contentType: nil, trace: TraceContext())
    return Tellers.Waiting(assignment: assignment, department: department, tag: tag)
  }

  @Test("a department has as many tellers as it was given, and each department its own")
  func permits() {
    let tellers = Box(["deposit": 2, "loan": 1])
    #expect((0..<3).map { _ in tellers.take(in: "deposit") } == [true, true, false])
    #expect(tellers.take(in: "loan"))
    #expect(!tellers.take(in: "loan"))
    tellers.free(in: "deposit")
    #expect(tellers.take(in: "deposit"))
    #expect(!tellers.take(in: "unknown"))
  }

  @Test("what waits is served in its order, as tellers become free")
  func waits() {
    let tellers = Box(["deposit": 1])
    #expect(tellers.take(in: "deposit"))
    tellers.wait(waiting(1))
    tellers.wait(waiting(2))
    #expect(tellers.nextToServe(in: "deposit") == nil)
    tellers.free(in: "deposit")
    #expect(tellers.nextToServe(in: "deposit")?.tag == 1)
    #expect(tellers.nextToServe(in: "deposit")?.tag == 2, "the first one has not taken the teller")
    #expect(tellers.nextToServe(in: "deposit") == nil)
  }

  @Test("what waits can be dismissed, and its tags given back")
  func dismissed() {
    let tellers = Box(["deposit": 1, "loan": 1])
    tellers.wait(waiting(1))
    tellers.wait(waiting(2, "loan"))
    #expect(tellers.hasWaiting)
    #expect(tellers.dismissWaiting().sorted() == [1, 2])
    #expect(!tellers.hasWaiting)
  }
}
