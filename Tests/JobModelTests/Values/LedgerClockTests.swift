import Testing

@testable import JobModel

@Suite("The clock of a ledger")
struct LedgerClockTests {
  private let start = Timestamp(milliseconds: 1_800_000_000_000)
  private static let steps: [Duration] = [.seconds(120), .seconds(-120), .seconds(86_400), .seconds(-86_400)]

  /// What the machine says so long after the beginning, when its wall clock is off by that much.
  private func machine(_ elapsed: Duration, off: Duration = .zero, boot: String = "one") -> MachineTime {
    MachineTime(
      wall: start + elapsed + off, monotonic: elapsed, uptime: Uptime(boot: boot, age: .seconds(50) + elapsed))
  }

  /// What another process of the machine says: its monotonic clock begins anew.
  private func laterProcess(_ elapsed: Duration, off: Duration = .zero, boot: String = "one") -> MachineTime {
    var machine = machine(elapsed, off: off, boot: boot)
    machine.monotonic = .seconds(7)
    return machine
  }

  @Test("it follows the wall clock as long as that goes on")
  func goesOn() {
    var clock = LedgerClock(at: machine(.zero))
    let step = clock.watch(machine(.seconds(60), off: .milliseconds(90)))
    #expect(step == nil)
    #expect(clock.time(at: .seconds(60)) == start + .seconds(60))
    #expect(clock.lead == .zero)
    #expect(clock.mayRemove(at: start))
  }

  @Test(
    "when the wall clock is set, it goes on as if nothing had happened, and knows what the wall clock says",
    arguments: steps)
  func stepped(size: Duration) {
    var clock = LedgerClock(at: machine(.zero))
    let step = clock.watch(machine(.seconds(10), off: size))
    #expect(step?.size == size)
    #expect(clock.time(at: .seconds(10)) == start + .seconds(10))
    #expect(clock.wallTime(of: start + .seconds(10)) == start + .seconds(10) + size)
    #expect(clock.ledgerTime(of: start + .seconds(10) + size) == start + .seconds(10))
    let (again, back) = (clock.watch(machine(.seconds(11), off: size)), clock.watch(machine(.seconds(12))))
    #expect(again == nil, "it is told once")
    #expect(back?.size == .zero - size, "and so is the way back")
    #expect(clock.lead == .zero)
  }

  @Test(
    "the moments that the wall clock was set past came when it was set, also while nobody looked",
    arguments: [true, false])
  func passedOver(isRestarted: Bool) {
    var clock = LedgerClock(at: machine(.zero))
    let off = Duration.seconds(86_400)
    if isRestarted {
      let record = clock.record(at: machine(.seconds(4)))
      (clock, _) = LedgerClock.goOn(after: record, at: laterProcess(.seconds(10), off: off))
    } else {
      _ = clock.watch(machine(.seconds(10), off: off))
    }
    #expect(clock.arrival(of: start + .seconds(9)) == start + .seconds(9), "it had come before")
    #expect(clock.arrival(of: start + .seconds(11)) == start + .seconds(10))
    #expect(clock.arrival(of: start + .seconds(9) + off) == start + .seconds(10))
    #expect(clock.arrival(of: start + .seconds(12) + off) == start + .seconds(12), "it comes in its time")
  }

  @Test("a small difference is followed without a word")
  func adjusted() {
    var clock = LedgerClock(at: machine(.zero))
    let step = clock.watch(machine(.seconds(10), off: .seconds(1)))
    #expect(step == nil)
    #expect(clock.wallTime(of: start + .seconds(10)) == start + .seconds(11))
  }

  @Test("on a machine that was not started anew it goes on exactly, whatever the wall clock says", arguments: steps)
  func restarted(off: Duration) {
    let record = LedgerClock(at: machine(.zero)).record(at: machine(.seconds(10)))
    let (clock, step) = LedgerClock.goOn(after: record, at: laterProcess(.seconds(100), off: off))
    #expect(clock.time(at: .seconds(7)) == start + .seconds(100))
    #expect(step?.size == off)
    #expect(clock.mayRemove(at: start + .seconds(100)))
  }

  @Test("it goes on after an earlier step, also in another process")
  func restartedAfterStep() {
    var clock = LedgerClock(at: machine(.zero))
    _ = clock.watch(machine(.seconds(5), off: .seconds(120)))
    let record = clock.record(at: machine(.seconds(10), off: .seconds(120)))
    let (later, step) = LedgerClock.goOn(after: record, at: laterProcess(.seconds(20), off: .seconds(120)))
    #expect(step == nil)
    #expect(later.lead == .seconds(-120))
    #expect(later.time(at: .seconds(7)) == start + .seconds(20))
  }

  @Test("on a machine that was started anew with a clock that is behind, it does not go back")
  func behind() {
    let record = LedgerClock(at: machine(.zero)).record(at: machine(.seconds(10)))
    let (clock, step) = LedgerClock.goOn(
      after: record, at: laterProcess(.seconds(100), off: .seconds(-86_400), boot: "two"))
    #expect(clock.time(at: .seconds(7)) == start + .seconds(10))
    #expect(step?.isForward == false)
    #expect(clock.wallTime(of: start + .seconds(10)) == start + .seconds(100 - 86_400))
    #expect(clock.mayRemove(at: start + .seconds(10)))
  }

  @Test("on a machine that was started anew the clock is believed, but nothing is removed while it is on trial")
  func trial() {
    let record = LedgerClock(at: machine(.zero)).record(at: machine(.seconds(10)))
    let (clock, step) = LedgerClock.goOn(
      after: record, at: laterProcess(.seconds(10), off: .seconds(86_400), boot: "two"))
    let now = start + .seconds(86_410)
    #expect(clock.time(at: .seconds(7)) == now)
    #expect(step == nil, "nobody can tell it from a day without a coordinator")
    #expect(!clock.mayRemove(at: now + LedgerClock.longestTrial - .milliseconds(1)))
    #expect(clock.mayRemove(at: now + LedgerClock.longestTrial))
    let (soon, _) = LedgerClock.goOn(after: record, at: laterProcess(.seconds(40), boot: "two"))
    #expect(soon.mayRemove(at: start + .seconds(70)), "a short time is on trial for as long as it lasted")
  }

  @Test("a clock that turns out to have been ahead keeps everything for as much longer")
  func trialFailed() {
    let record = LedgerClock(at: machine(.zero)).record(at: machine(.seconds(10)))
    var (clock, _) = LedgerClock.goOn(
      after: record, at: laterProcess(.seconds(10), off: .seconds(86_400), boot: "two"))
    let end = start + .seconds(86_410) + LedgerClock.longestTrial
    var corrected = laterProcess(.seconds(70), boot: "two")
    corrected.monotonic = .seconds(67)
    let step = clock.watch(corrected)
    #expect(step?.isForward == false)
    #expect(!clock.mayRemove(at: end))
    #expect(clock.mayRemove(at: end + .seconds(86_401)))
    let (restarted, _) = LedgerClock.goOn(after: clock.record(at: corrected), at: corrected)
    #expect(!restarted.mayRemove(at: end), "also after a restart")
  }

  @Test("whatever its record says, it goes on", arguments: [Int64.min, 0, .max], [Int64.min, 0, .max])
  func damaged(time: Int64, lead: Int64) {
    for uptime in [nil, Uptime(boot: "one", age: .zero)] {
      for end in [nil, Int64.min, .max] {
        let record = LedgerClock.Record(
          time: Timestamp(milliseconds: time), lead: .milliseconds(lead), uptime: uptime,
          trialEnd: end.map(Timestamp.init))
        var (clock, _) = LedgerClock.goOn(after: record, at: machine(.seconds(10)))
        let step = clock.watch(machine(.seconds(20)))
        #expect(step?.text.isEmpty != true)
        #expect(clock.record(at: machine(.seconds(20))).time >= record.time)
      }
    }
  }

  @Test("a step is told in words")
  func words() {
    #expect(ClockStep(by: .milliseconds(119_998))?.text == "set forward by 2 min")
    #expect(ClockStep(by: .seconds(-5))?.text == "set back by 5 s")
    #expect(ClockStep(by: .seconds(2)) == nil)
  }
}
