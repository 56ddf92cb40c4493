import Testing

@testable import Decisions
@testable import JobModel

@Suite("Leases")
struct LeasesTests {
  let a = WorkerID("a")
  let b = WorkerID("b")
  var leases = Leases(lease: .seconds(45), presenceInterval: .seconds(2))

  /// Ticks every second, as a coordinator does, up to and including the second `end`.
  private mutating func tick(_ seconds: ClosedRange<Int>) -> [WorkerID] {
    seconds.flatMap { leases.tick(at: .seconds($0)) }
  }

  @Test("a silent worker expires after its lease, once")
  mutating func expires() {
    leases.seen(a, at: .seconds(0))
    leases.seen(b, at: .seconds(0))
    #expect(tick(1...30) == [])
    leases.seen(b, at: .seconds(30))
    #expect(tick(31...44) == [])
    #expect(leases.tick(at: .seconds(45)) == [a])
    #expect(tick(46...74) == [])
    #expect(leases.tick(at: .seconds(75)) == [b])
  }

  @Test("a worker that said goodbye does not expire")
  mutating func forgotten() {
    leases.seen(a, at: .seconds(0))
    leases.forget(a)
    #expect(tick(1...100) == [])
  }

  @Test("a presence that is older than the last one takes nothing away")
  mutating func oldPresence() {
    leases.seen(a, at: .seconds(10))
    leases.seen(a, at: .seconds(5))
    #expect(tick(1...54) == [])
    #expect(leases.tick(at: .seconds(55)) == [a])
  }

  @Test("after the coordinator's own stall every lease begins anew")
  mutating func stall() {
    leases.seen(a, at: .seconds(0))
    #expect(tick(1...10) == [])
    #expect(leases.tick(at: .seconds(100)) == [])
    #expect(tick(101...144) == [])
    #expect(leases.tick(at: .seconds(145)) == [a])
  }

  @Test("a tick that is late by less than a stall still counts")
  mutating func lateTick() {
    leases.seen(a, at: .seconds(0))
    #expect(tick(1...40) == [])
    #expect(leases.tick(at: .seconds(46)) == [a])
  }

  @Test("a first tick that comes late is a stall too")
  mutating func lateFirstTick() {
    leases.seen(a, at: .seconds(0))
    #expect(leases.tick(at: .seconds(60)) == [])
    #expect(tick(61...104) == [])
    #expect(leases.tick(at: .seconds(105)) == [a])
  }

  @Test("nothing expires while the coordinator is cut off, and then every lease begins anew")
  mutating func paused() {
    leases.seen(a, at: .seconds(0))
    leases.pause(at: .seconds(1))
    #expect(tick(2...200) == [])
    leases.resume(at: .seconds(200))
    #expect(tick(201...244) == [])
    #expect(leases.tick(at: .seconds(245)) == [a])
  }

  @Test("of a short lease a shorter gap is a stall: a worker that lives is heard before its lease can pass")
  mutating func shortLease() {
    leases = Leases(lease: .seconds(5), presenceInterval: .seconds(2))
    leases.seen(a, at: .seconds(0))
    #expect(leases.tick(at: .milliseconds(3_000)) == [])
    #expect(tick(4...7) == [])
    #expect(leases.tick(at: .seconds(8)) == [a])
  }

  @Test("several that expire at once are told in a fixed order")
  mutating func order() {
    let many = (0..<20).map { WorkerID("w\($0)") }
    for worker in many.shuffled() { leases.seen(worker, at: .seconds(0)) }
    #expect(tick(1...45) == many.sorted { $0.text < $1.text })
  }
}
