import JobModel
import TestSupport
import Testing

@testable import Teller

@Suite("The tellers of a worker that takes jobs ahead")
struct AheadTellersTests {
  private func tellers(_ count: Int, ahead: Int) -> ObservedTellers {
    let tellers = ObservedTellers(["deposit": count])
    tellers.staff(ahead: ["deposit": ahead])
    return tellers
  }

  @Test("all consumers together have a prefetch of the tellers and of what is taken ahead")
  func prefetch() {
    let tellers = tellers(2, ahead: 3)
    #expect(tellers.steps() == ["+5"])
    tellers.staff(ahead: ["deposit": 1])
    #expect(tellers.steps() == ["-", "+3"])
    tellers.staff(ahead: ["deposit": 2])
    #expect(tellers.steps() == ["+1"])
    tellers.staff()
    #expect(tellers.steps() == ["-", "+1"])
    tellers.staff(["deposit": 0], ahead: ["deposit": 4])
    #expect(tellers.steps() == ["-", "-"], "nobody would start it")
    tellers.staff(paused: ["deposit"], ahead: ["deposit": 4])
    #expect(tellers.steps() == [])
  }

  @Test("a teller is free when its handler has ended, and the job counts in the prefetch until it is acked")
  func ended() {
    let tellers = tellers(1, ahead: 1)
    tellers.steps()
    let (first, second, third) = (delivery(1), delivery(2), delivery(3))
    #expect(tellers.take(first))
    #expect(!tellers.take(second))
    tellers.keepWaiting(second)
    #expect(tellers.nextToServe(in: "deposit") == nil)
    #expect(tellers.handlerEnded(first))
    #expect(tellers.take(first), "it is in the worker's hands")
    #expect(tellers.nextToServe(in: "deposit") == second)
    #expect(tellers.take(second))
    #expect(!tellers.take(third))
    // The consumer goes: both count outside of the next one's prefetch.
    tellers.staff(paused: ["deposit"], ahead: ["deposit": 1])
    tellers.steps()
    tellers.staff(ahead: ["deposit": 1])
    #expect(tellers.steps() == [])
    tellers.free(first)
    #expect(tellers.steps() == ["+1"])
    tellers.free(second)
    #expect(tellers.steps() == ["+1"])
  }

  @Test("without jobs taken ahead a teller is free only when its job is acked")
  func strict() {
    let tellers = tellers(1, ahead: 0)
    tellers.steps()
    let (first, second) = (delivery(1), delivery(2, priority: 9))
    #expect(tellers.take(first))
    tellers.keepWaiting(delivery(3))
    tellers.keepWaiting(second)
    #expect(!tellers.handlerEnded(first))
    #expect(tellers.nextToServe(in: "deposit") == nil)
    tellers.free(first)
    #expect(tellers.nextToServe(in: "deposit")?.tag == 3, "in the order of arrival")
  }

  @Test("the most urgent of what waits is served first, and of equals the first to come")
  func urgent() {
    let tellers = tellers(1, ahead: 4)
    tellers.steps()
    for (tag, priority) in [(1, 4), (2, 7), (3, 4), (4, 7)] as [(UInt64, Priority)] {
      tellers.keepWaiting(delivery(tag, priority: priority))
    }
    let order = (1...4).map { _ in tellers.nextToServe(in: "deposit")?.tag }
    #expect(order == [2, 4, 1, 3])
  }

  @Test("what is dropped while it waits holds no teller, and counts in the prefetch until it is acked")
  func dropped() {
    let tellers = tellers(1, ahead: 1)
    tellers.steps()
    let (first, second) = (delivery(1), delivery(2))
    #expect(tellers.take(first))
    tellers.keepWaiting(second)
    #expect(tellers.dropWaiting(delivery(2)) == nil)
    #expect(tellers.dropWaiting(second) == 2)
    #expect(!tellers.hasWaiting)
    tellers.free(first)
    #expect(tellers.take(delivery(3)), "its teller is free")
    tellers.staff()
    tellers.steps()
    #expect(tellers.prefetch.isEmpty, "two deliveries of an earlier consumer are left")
    tellers.free(second)
    #expect(tellers.steps() == [])
  }

  @Test(
    "what waits for too long goes back with its consumer; none is taken ahead for as long, or until a teller is free")
  func tooLong() {
    for isFreed in [true, false] {
      let tellers = tellers(1, ahead: 2)
      tellers.steps()
      let (first, start) = (delivery(1), ContinuousClock.now)
      #expect(tellers.take(first))
      tellers.keepWaiting(delivery(2))
      #expect(!tellers.giveBack(after: .seconds(10), at: start + .seconds(9)))
      #expect(tellers.nextStep() == nil)
      #expect(tellers.giveBack(after: .seconds(10), at: start + .seconds(11)))
      #expect(tellers.nextStep() == .cancel("department.deposit.1"))
      #expect(!tellers.serves(delivery()))
      #expect(tellers.ended("department.deposit.1") == [2])
      #expect(tellers.nextStep() == nil, "it would come again, and wait again")
      if isFreed {
        #expect(tellers.handlerEnded(first))
      } else {
        #expect(!tellers.giveBack(after: .seconds(10), at: start + .seconds(20)))
        #expect(tellers.nextStep() == nil)
        #expect(!tellers.giveBack(after: .seconds(10), at: start + .seconds(21)))
      }
      #expect(tellers.steps() == ["+2"])
      tellers.free(first)
      #expect(tellers.steps() == ["+1"])
    }
  }

  @Test("says what it was told to take ahead, also where it has no room for all of it")
  func noRoom() {
    var tellers = Tellers(["deposit": WorkerError.mostTellers - 1])
    tellers.staff(Staffing(ahead: ["deposit": 5, "loan": 1]))
    #expect(tellers.ahead == ["deposit": 1] && tellers.orderedAhead == ["deposit": 5])
  }

  @Test("a handler that waits for another job leaves its teller to what waits here")
  func lent() {
    let tellers = tellers(1, ahead: 1)
    tellers.steps()
    let (first, second) = (delivery(1), delivery(2))
    #expect(tellers.take(first))
    tellers.keepWaiting(second)
    #expect(tellers.lend(first))
    #expect(tellers.nextToServe(in: "deposit") == second)
    #expect(tellers.take(second))
    tellers.wantBack(first)
    #expect(tellers.nextReturned() == nil)
    #expect(tellers.handlerEnded(second))
    #expect(tellers.nextReturned() == first.assignment.release)
    #expect(!tellers.take(delivery(3)))
  }

  @Test("a worker's tellers and what it takes ahead are together no more than a worker may have")
  func limit() {
    let tellers = ObservedTellers(["deposit": WorkerError.mostTellers - 30, "loan": 10])
    tellers.staff(ahead: ["deposit": 15, "loan": 100, "other": 9])
    #expect(tellers.ahead == ["deposit": 15, "loan": 5])
    tellers.staff(ahead: ["deposit": -1])
    #expect(tellers.ahead == [:])
  }

  @Test(
    "however tellers change, nothing is delivered beyond tellers and jobs taken ahead, and no more run than tellers")
  func property() {
    var random = SeededRandom(for: "tellers that take jobs ahead")
    for _ in 0..<300 {
      var desk = AheadDesk()
      for _ in 0..<80 { desk.step(&random) }
      desk.end()
    }
  }
}

/// A worker's tellers and the broker that delivers to them.
private struct AheadDesk {
  let tellers = ObservedTellers(["deposit": 2])
  private var count = 2
  private var ahead = 2
  private var running: [DeliveredAssignment] = []
  private var reporting: [DeliveredAssignment] = []
  private var waiting: [DeliveredAssignment] = []
  private var lastTag: UInt64 = 0

  init() {
    tellers.staff(["deposit": count], ahead: ["deposit": ahead])
    tellers.steps()
  }

  private var unacked: [DeliveredAssignment] { running + reporting + waiting }

  mutating func step(_ random: inout SeededRandom) {
    switch Int.random(in: 0..<9, using: &random) {
    case 0: staff(Int.random(in: 0...4, using: &random), ahead: Int.random(in: 0...3, using: &random))
    case 1, 2,
      3 where !running.isEmpty:
      guard let index = running.indices.randomElement(using: &random) else { return }
      let delivery = running.remove(at: index)
      _ = tellers.handlerEnded(delivery)
      reporting.append(delivery)
    case 4, 5:
      guard !reporting.isEmpty else { return }
      tellers.free(reporting.removeFirst())
      consume()
    default: deliver(&random)
    }
    serve()
  }

  private mutating func staff(_ count: Int, ahead: Int) {
    (self.count, self.ahead) = (count, ahead)
    tellers.staff(["deposit": count], ahead: ["deposit": ahead])
    consume()
  }

  private mutating func consume() {
    tellers.steps()
    waiting.removeAll { tellers.givenBack.contains($0.tag) }
  }

  private mutating func deliver(_ random: inout SeededRandom) {
    let open = tellers.prefetch.filter { tag, prefetch in unacked.count { $0.consumer == tag } < prefetch }
    guard let consumer = open.keys.sorted().randomElement(using: &random) else { return }
    lastTag += 1
    let next = delivery(lastTag, of: consumer)
    #expect(unacked.count < count + ahead, "\(running.count), \(reporting.count), \(waiting.count)")
    if tellers.take(next) {
      running.append(next)
    } else {
      tellers.keepWaiting(next)
      waiting.append(next)
    }
  }

  private mutating func serve() {
    while let next = tellers.nextToServe(in: "deposit") {
      #expect(running.count < count, "more would run than there are tellers")
      #expect(tellers.take(next))
      waiting.removeAll { $0.tag == next.tag }
      running.append(next)
    }
  }

  /// Everything ends: all of the prefetch is there again.
  mutating func end() {
    staff(3, ahead: 1)
    while !unacked.isEmpty {
      serve()
      for delivery in running + reporting { tellers.free(delivery) }
      (running, reporting) = ([], [])
      consume()
    }
    #expect(tellers.prefetch.values.reduce(0, +) == 4)
  }
}
