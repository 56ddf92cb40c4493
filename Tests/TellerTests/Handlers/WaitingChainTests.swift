import JobModel
import Testing

@testable import Teller

@Suite("Jobs that wait for each other")
struct WaitingChainTests {
  private func chain(_ job: JobID = JobID(), in department: Department = "shop", header: String? = nil) -> WaitingChain
  {
    WaitingChain(
      to: JobInfo(
        id: job, kind: "section", department: department,
        headers: header.map { [WaitingChain.header: $0] } ?? [:]))
  }

  @Test("the chain goes on with each job, and is read as it was written")
  func text() {
    let (first, second) = (JobID(), JobID())
    let one = chain(first)
    let two = chain(second, in: "other", header: one.text)
    #expect(two.text == "\(first)@shop \(second)@other")
    #expect(two.level == 1)
    #expect(two.has(first) && two.has("shop") && two.has("other"))
    #expect(chain(second, header: "x @ a@b \(first)@").links.count == 1, "what others have written is left out")
  }

  @Test("nobody waits for himself: by id, by a job that waits for him, or by its key")
  func itself() throws {
    let (first, second) = (JobID(), JobID())
    let chain = chain(second, header: chain(first).text)
    #expect(chain.obstacle(to: JobID(), after: [JobID()]) == nil)
    for (id, after) in [(first, []), (second, []), (JobID(), [first])] {
      #expect(chain.obstacle(to: id, after: after)?.hasPrefix("it would wait for itself") == true)
    }
    #expect(chain.obstacle(toAccepted: first) != nil)
    #expect(chain.obstacle(toAccepted: JobID()) == nil)
  }

  @Test("not more than eight jobs wait, one for the other")
  func length() {
    var last = chain()
    for _ in 1..<WaitingChain.longest { last = chain(header: last.text) }
    #expect(last.obstacle(to: JobID(), after: []) == nil)
    last = chain(header: last.text)
    #expect(last.obstacle(to: JobID(), after: [])?.contains("8 jobs wait for it already") == true)
    #expect(last.text.utf8.count < 4_096, "a submission's headers have so much room")
  }

  @Test("a teller is lent, but no place of an ordered department, and none under a cap")
  func departments() {
    let chain = chain()
    #expect(chain.obstacle(in: status()) == nil)
    #expect(chain.obstacle(in: status(isOrdered: true))?.contains("is ordered") == true)
    #expect(chain.obstacle(in: status(cap: 3))?.contains("has a cap of 3") == true)
    #expect(chain.obstacle(in: status("other", isOrdered: true)) == nil, "no job of the chain is there")
  }

  private func status(_ department: Department = "shop", isOrdered: Bool = false, cap: Int? = nil) -> DepartmentStatus {
    DepartmentStatus(
      department: department, isOrdered: isOrdered, isPaused: false, window: 10, cap: cap, tellers: 1, held: 0,
      delayed: 0,
      dependent: 0, void: 0, queued: 0, running: 0, succeeded: 0, failed: 0, cancelled: 0)
  }

  @Test("the ids of what a job submits are the same in each of its attempts, and differ by name")
  func ids() {
    let job = JobID()
    let context = { (attempt: Int) in JobContext(id: job, attempt: attempt, kind: "a", department: "b", payload: 1) }
    #expect(context(1).id(of: "picture") == context(2).id(of: "picture"))
    #expect(context(1).id(of: "picture") != context(1).id(of: "replay"))
    #expect(context(1).id(of: "replay") != JobID(replayOf: job))
  }
}
