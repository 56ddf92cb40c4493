import AMQP
import JobModel
import JobTransport
import TestSupport
import Testing

@testable import Teller

@Suite("The tellers of a worker")
struct WorkerTellersTests {
  @Test("a department has as many tellers as it was given, and each department its own")
  func permits() {
    let tellers = ObservedTellers(["deposit": 2, "loan": 1])
    let first = delivery()
    #expect(tellers.take(first))
    #expect(tellers.take(delivery()))
    #expect(!tellers.take(delivery()))
    #expect(tellers.take(first), "it has its teller")
    #expect(tellers.take(delivery(1, "loan")))
    #expect(!tellers.take(delivery(1, "loan")))
    tellers.free(first)
    #expect(tellers.take(delivery()))
    #expect(!tellers.take(delivery(1, "unknown")))
  }

  @Test("what waits is served in its order, as tellers become free")
  func waits() {
    let tellers = ObservedTellers(["deposit": 1])
    tellers.steps()
    let busy = delivery()
    #expect(tellers.take(busy))
    tellers.keepWaiting(delivery(1))
    tellers.keepWaiting(delivery(2))
    #expect(tellers.nextToServe(in: "deposit") == nil)
    tellers.free(busy)
    #expect(tellers.nextToServe(in: "deposit")?.tag == 1)
    #expect(tellers.nextToServe(in: "deposit")?.tag == 2, "the first one has not taken the teller")
    #expect(tellers.nextToServe(in: "deposit") == nil)
  }

  @Test("each department is consumed with its tellers, once, and none that has none")
  func consumed() {
    let tellers = ObservedTellers(["deposit": 2, "loan": 3, "cash": 1])
    #expect(tellers.nextStep(isConsuming: false) == nil)
    tellers.staff(["cash": 0])
    #expect(tellers.unattended == ["deposit", "loan"])
    #expect(tellers.steps() == ["+2", "+3"])
    #expect(tellers.unattended == [])
    #expect(tellers.steps() == [])
    #expect(tellers.steps(isConsuming: false) == ["-", "-"])
    #expect(!tellers.hasConsumers)
  }

  @Test("staffing is the whole of it: what it does not name is as the worker was started, and it has limits")
  func whole() {
    let tellers = ObservedTellers(["deposit": 2, "loan": 3])
    tellers.staff(["deposit": 5, "other": 9], paused: ["loan", "other"])
    #expect(tellers.counts == ["deposit": 5, "loan": 3])
    #expect(tellers.paused == ["loan"])
    tellers.staff(["loan": -1, "deposit": 1_000_000])
    #expect(tellers.counts == ["deposit": WorkerError.mostTellers, "loan": 0])
    #expect(tellers.paused == [])
    tellers.staff()
    #expect(tellers.counts == ["deposit": 2, "loan": 3])
  }

  @Test("what waits of a consumer that is cancelled is not served, and given back when it has ended")
  func givenBack() {
    let tellers = ObservedTellers(["deposit": 1])
    tellers.steps()
    let busy = delivery()
    _ = tellers.take(busy)
    tellers.keepWaiting(delivery(7))
    tellers.keepWaiting(delivery(8))
    tellers.staff(paused: ["deposit"])
    #expect(!tellers.serves(delivery()))
    #expect(tellers.nextStep() == .cancel("department.deposit.1"))
    tellers.free(busy)
    #expect(tellers.nextToServe(in: "deposit") == nil)
    #expect(tellers.nextStep() == nil)
    #expect(tellers.ended("department.deposit.1") == [7, 8])
    #expect(!tellers.hasWaiting)
    #expect(tellers.ended("department.deposit.1") == [])
    tellers.staff()
    #expect(tellers.nextStep() == .consume("deposit", tag: "department.deposit.2", prefetch: 1), "a tag of its own")
  }

  @Test("more tellers are one consumer more; fewer are none until what was delivered has ended")
  func resized() {
    let tellers = ObservedTellers(["deposit": 2])
    tellers.steps()
    let two = (0..<2).map { _ in delivery() }
    for delivery in two { #expect(tellers.take(delivery)) }
    tellers.staff(["deposit": 3])
    #expect(tellers.steps() == ["+1"])
    tellers.staff(["deposit": 1])
    #expect(tellers.steps() == ["-", "-"])
    tellers.free(two[0])
    #expect(tellers.steps() == [], "one is still busy")
    #expect(!tellers.take(delivery()))
    tellers.free(two[1])
    #expect(tellers.steps() == ["+1"])
  }

  @Test("an adopted job takes one off what is consumed, and off no other, until it has ended")
  func adopted() {
    let tellers = ObservedTellers(["deposit": 3])
    tellers.steps()
    let three = (0..<3).map { _ in delivery() }
    for delivery in three { #expect(tellers.take(delivery)) }
    tellers.adopt(three[0])
    // The other two are outside of a prefetch now too: nobody could be given a delivery more.
    #expect(tellers.steps() == ["-"])
    #expect(tellers.unattended == [], "nobody is free")
    tellers.free(three[1])
    #expect(tellers.unattended == ["deposit"])
    #expect(tellers.steps() == ["+1"])
    tellers.disconnected()
    #expect(tellers.steps() == ["+2"], "only what is adopted does not come again")
    tellers.free(three[0])
    #expect(tellers.steps() == ["+1"])
  }

  @Test("what an earlier connection left is expected again, and fits into the prefetch")
  func reconnected() {
    let tellers = ObservedTellers(["deposit": 2])
    tellers.steps()
    let busy = delivery()
    #expect(tellers.take(busy))
    tellers.keepWaiting(delivery(2))
    tellers.disconnected()
    #expect(!tellers.hasWaiting)
    #expect(!tellers.hasConsumers)
    #expect(tellers.steps() == ["+2"])
    var again = busy
    again.consumer = "department.deposit.2"
    #expect(tellers.take(again))
    tellers.redelivered(again)
    #expect(tellers.steps() == [])
    tellers.adopt(again)
    #expect(tellers.steps() == ["-", "+1"])
  }

  @Test("what an earlier connection left and does not come back is expected no longer: what waits for it is given back")
  func notBack() {
    let tellers = ObservedTellers(["deposit": 2])
    tellers.steps()
    let busy = delivery()
    #expect(tellers.take(busy))
    tellers.disconnected()
    #expect(tellers.steps() == ["+2"])
    let other = delivery(7, of: "department.deposit.2")
    #expect(tellers.take(other))
    tellers.keepWaiting(delivery(8, of: "department.deposit.2"))
    #expect(tellers.nextStep() == nil, "it may still come")
    tellers.giveUpRedeliveries()
    #expect(tellers.nextStep() == .cancel("department.deposit.2"))
    #expect(tellers.ended("department.deposit.2") == [8])
    #expect(tellers.nextStep() == nil, "both tellers are busy")
    tellers.free(other)
    #expect(tellers.steps() == ["+1"])
    tellers.free(busy)
    #expect(tellers.steps() == ["+1"])
  }

  @Test("what an earlier connection left and comes late is in a prefetch again")
  func late() {
    let tellers = ObservedTellers(["deposit": 2])
    tellers.steps()
    let busy = delivery()
    #expect(tellers.take(busy))
    tellers.disconnected()
    tellers.giveUpRedeliveries()
    #expect(tellers.steps() == ["+1"])
    var again = busy
    again.consumer = "department.deposit.2"
    tellers.redelivered(again)
    #expect(tellers.steps() == ["+1"])
    tellers.disconnected()
    #expect(tellers.steps() == ["+2"], "it is expected again on the next connection")
  }

  @Test("all departments together have no more than a worker may have; each keeps its own first")
  func sum() {
    let tellers = ObservedTellers(["deposit": 2, "loan": 3])
    tellers.staff(["deposit": 9_999, "loan": 9_999])
    #expect(tellers.counts == ["deposit": WorkerError.mostTellers - 3, "loan": 3])
    tellers.staff(["deposit": 1, "loan": 9_999])
    #expect(tellers.counts == ["deposit": 1, "loan": 9_999])
  }

  @Test("a worker with all its tellers busy still tells what it has in a message that is read")
  func largestPresence() {
    let often = 1_000_000
    let releases = (0..<WorkerError.mostTellers).map { _ in
      RunningRelease(release: ReleaseID(job: JobID(), number: often), token: often, isStuck: true)
    }
    let presence = Presence(
      worker: WorkerID(), session: .max, name: String(repeating: "n", count: PresenceCodec.longestName),
      tellers: ["deposit": WorkerError.mostTellers], paused: ["deposit"], ledger: LedgerID(), probe: .max,
      running: releases, isGoodbye: false)
    #expect(PresenceCodec.encode(presence).body.count < 1 << 20)
    #expect(WorkerError.mostTellers == PresenceCodec.workerTellers)
  }

  @Test("however tellers are changed and jobs adopted, nothing is delivered that no teller is free for")
  func property() {
    var random = SeededRandom(for: "tellers")
    for _ in 0..<300 {
      let tellers = ObservedTellers(["deposit": 3])
      var count = 3
      // What the broker waits for, and what it does not and still runs.
      var unacked: [DeliveredAssignment] = []
      var adopted: [DeliveredAssignment] = []
      tellers.steps()
      for _ in 0..<60 {
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
          count = Int.random(in: 0...5, using: &random)
          tellers.staff(["deposit": count], paused: Bool.random(using: &random) ? [] : ["deposit"])
          tellers.steps()
        case 1 where !unacked.isEmpty:
          let delivery = unacked.remove(at: Int.random(in: unacked.indices, using: &random))
          tellers.adopt(delivery)
          tellers.steps()
          adopted.append(delivery)
        case 2 where !adopted.isEmpty: tellers.free(adopted.removeLast())
        case 3, 4:
          guard !unacked.isEmpty else { continue }
          tellers.free(unacked.remove(at: Int.random(in: unacked.indices, using: &random)))
        case 5: tellers.steps()
        default:
          let open = tellers.prefetch.filter { tag, prefetch in unacked.count { $0.consumer == tag } < prefetch }
          guard let consumer = open.keys.sorted().randomElement(using: &random) else { continue }
          let next = delivery(1, of: consumer)
          #expect(tellers.take(next), "\(unacked.count) + \(adopted.count) of \(count)")
          unacked.append(next)
        }
      }
      tellers.staff(["deposit": 4])
      tellers.steps()
      for delivery in unacked + adopted { tellers.free(delivery) }
      tellers.steps()
      #expect(tellers.prefetch.values.reduce(0, +) == 4, "all are consumed for when nothing is left")
    }
  }
}
