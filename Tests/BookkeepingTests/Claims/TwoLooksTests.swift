import Bookkeeping
import JobModel
import Testing

@Suite("Two looks at queues in which something may be lost")
struct TwoLooksTests {
  private let work = JobQueue("work")
  private let mail = JobQueue("mail")
  private let bank = JobQueue("bank")

  @Test("what is empty at one look may be in a worker's hands: it counts only when it is empty at the next one, too")
  func twice() {
    var looks = TwoLooks()
    #expect(looks.queues(of: [work, mail, bank]) == [work, mail, bank])
    #expect(looks.looked([work, mail]) == nil)
    #expect(looks.isHalfway)
    #expect(looks.queues(of: [work, bank]) == [work], "mail is no longer suspected, and bank had messages")
    #expect(looks.looked([work]) == [work])
  }

  @Test("after two looks the next is a first one again")
  func again() {
    var looks = TwoLooks()
    #expect(looks.looked([work]) == nil)
    #expect(looks.looked([]) == [])
    #expect(!looks.isHalfway)
    #expect(looks.queues(of: [mail]) == [mail])
    #expect(looks.looked([mail]) == nil)
  }

  @Test("where no queue is empty there is a second look all the same: what was overtaken is looked for then")
  func noneEmpty() {
    var looks = TwoLooks()
    #expect(looks.looked([]) == nil)
    #expect(looks.isHalfway && looks.queues(of: [work]).isEmpty)
    #expect(looks.looked([]) == [])
  }
}
