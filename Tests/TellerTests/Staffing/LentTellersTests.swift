import JobModel
import Testing

@testable import Teller

@Suite("Tellers that are lent while their handlers wait")
struct LentTellersTests {
  @Test("the teller of a handler that waits serves another job, and is given back once that has ended")
  func lent() {
    let tellers = ObservedTellers(["deposit": 1])
    #expect(tellers.steps() == ["+1"])
    let waits = delivery()
    #expect(tellers.take(waits))
    #expect(!tellers.isLent(waits))
    #expect(tellers.lend(waits))
    #expect(tellers.isLent(waits))
    #expect(tellers.steps() == ["+1"], "room for the job that is waited for")
    let child = delivery(of: "department.deposit.2")
    #expect(tellers.take(child))
    #expect(!tellers.take(delivery()), "there is one teller")
    tellers.wantBack(waits)
    #expect(!tellers.isLent(waits))
    #expect(tellers.nextReturned() == nil, "the other job has the teller")
    tellers.free(child)
    #expect(!tellers.take(delivery()), "the teller is wanted back")
    #expect(tellers.nextReturned() == waits.assignment.release)
    #expect(tellers.nextReturned() == nil)
    tellers.free(waits)
    tellers.steps()
    #expect(tellers.prefetch.values.reduce(0, +) == 1)
  }

  @Test("a handler goes on at once while a teller is free, and the consumers shrink again")
  func atOnce() {
    let tellers = ObservedTellers(["deposit": 2])
    tellers.steps()
    let waits = delivery()
    #expect(tellers.take(waits))
    #expect(tellers.lend(waits))
    #expect(tellers.steps() == ["+1"])
    tellers.wantBack(waits)
    #expect(tellers.nextReturned() == waits.assignment.release)
    #expect(tellers.steps() == ["-"])
    #expect(tellers.prefetch.values.reduce(0, +) == 1, "the job that goes on counts in none")
  }

  @Test("where handlers wait, the consumer is cancelled that would bring a job, and none that has only their messages")
  func shrinks() throws {
    let tellers = ObservedTellers(["deposit": 1])
    var waiting: [DeliveredAssignment] = []
    for number in 1...3 {
      #expect(tellers.steps() == ["+1"])
      let delivery = delivery(of: "department.deposit.\(number)")
      #expect(tellers.take(delivery))
      #expect(tellers.lend(delivery))
      waiting.append(delivery)
    }
    #expect(tellers.steps() == ["+1"])
    let working = delivery(of: "department.deposit.4")
    #expect(tellers.take(working))
    tellers.wantBack(waiting[2])
    // When the job ends that works now, the handler goes on: no other job may come then.
    #expect(tellers.steps() == ["-", "-"])
    #expect(tellers.prefetch.keys.sorted() == ["department.deposit.1", "department.deposit.2"])
    tellers.free(working)
    #expect(tellers.nextReturned() == waiting[2].assignment.release)
    #expect(tellers.steps() == [])
    tellers.free(waiting[2])
    #expect(tellers.steps() == ["+1"])
  }

  @Test("each level has its own places, so that a job which others wait for always finds one")
  func levels() {
    var lent = LentTellers()
    let lend = { (release: ReleaseID, level: Int) in lent.lend(release, level: level) }
    for number in 1...LentTellers.perLevel { #expect(lend(ReleaseID(job: JobID(), number: number), 0)) }
    let next = ReleaseID(job: JobID(), number: 1)
    #expect(!lend(next, 0))
    #expect(lend(next, 1))
    lent.wantBack(next)
    #expect(lent.isReturning(next))
    #expect(lend(next, 1), "it waits for another job before it has its teller")
    #expect(!lent.isReturning(next))
    lent.forget(next)
    let none = lent.giveBack(free: 1)
    #expect(none == nil)
  }

  @Test("what was lent on an earlier connection has its place again when it comes again")
  func reconnects() throws {
    let tellers = ObservedTellers(["deposit": 1])
    tellers.steps()
    let waits = delivery()
    #expect(tellers.take(waits))
    #expect(tellers.lend(waits))
    tellers.disconnected()
    #expect(tellers.steps() == ["+1"])
    var again = waits
    again.consumer = try #require(tellers.prefetch.keys.sorted().last)
    tellers.redelivered(again)
    #expect(tellers.steps() == ["+1"], "the one that waits fills the first consumer")
  }

  @Test("a department without tellers gives a handler that runs its own back, and so does a cancelled one")
  func none() {
    let tellers = ObservedTellers(["deposit": 1])
    tellers.steps()
    let (first, second) = (delivery(), delivery())
    #expect(tellers.take(first))
    #expect(tellers.lend(first))
    tellers.staff(["deposit": 0])
    tellers.wantBack(first)
    #expect(tellers.nextReturned() == first.assignment.release)
    tellers.staff(["deposit": 1])
    #expect(!tellers.lend(second), "it has no teller")
    #expect(tellers.lend(first))
    #expect(tellers.take(second))
    tellers.wantBack(first)
    tellers.goOn(first)
    #expect(tellers.nextReturned() == nil)
    tellers.free(second)
    #expect(!tellers.take(delivery()), "it works")
  }
}
