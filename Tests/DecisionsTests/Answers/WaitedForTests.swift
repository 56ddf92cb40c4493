import JobModel
import TestSupport
import Testing

@testable import Decisions

@Suite("For which jobs others wait")
struct WaitedForTests {
  @Test("it never says no of a job for which somebody waits, and no of all others when nobody waits any more")
  func againstSet() {
    var random = SeededRandom(for: "waited for")
    var waitedFor = WaitedFor()
    var open: [JobID] = []
    for _ in 0..<5_000 {
      if open.isEmpty || Int.random(in: 0..<3, using: &random) > 0 {
        let job = open.randomElement(using: &random).flatMap { Bool.random(using: &random) ? $0 : nil } ?? JobID()
        waitedFor.add(job)
        open.append(job)
      } else {
        waitedFor.remove(open.remove(at: open.indices.randomElement(using: &random) ?? 0))
      }
      #expect(waitedFor.count == open.count)
    }
    #expect(open.allSatisfy(waitedFor.mayContain))
    for job in open { waitedFor.remove(job) }
    #expect(waitedFor.count == 0)
    #expect(!open.contains(where: waitedFor.mayContain))
  }

  @Test("of a hundred jobs it hardly ever takes another one for one of them")
  func strangers() {
    var waitedFor = WaitedFor()
    for _ in 0..<100 { waitedFor.add(JobID()) }
    let mistaken = (0..<10_000).count { _ in waitedFor.mayContain(JobID()) }
    #expect(mistaken < 200)
  }
}
