import Decisions
import JobModel
import Testing

@Suite("The flow of a department")
struct FlowTests {
  private func turn(accepted: Int = 0, ran: [Double] = [], unrun: Int = 0, unfinished: Int) -> FlowTurn {
    var turn = FlowTurn(unfinished: unfinished)
    turn.accepted = accepted
    turn.ran = ran.map { .milliseconds(Int64($0 * 1_000)) }
    turn.endedUnrun = unrun
    return turn
  }

  private func at(_ seconds: Double) -> Duration { .milliseconds(Int64(seconds * 1_000)) }

  @Test("has the rates of the last minute")
  func rates() {
    var flow = DepartmentFlow(since: .zero)
    flow.see(tellers: 4, at: .zero)
    for second in 1...200 { flow.count(turn(accepted: 2, ran: [0.5, 1.5], unfinished: 2), at: at(Double(second))) }
    let rates = flow.rates(at: at(200))
    #expect(rates.samples == 122 && abs(rates.arrivals - 2) < 0.25 && rates.service == 1, "of the last 61 seconds")
    #expect(abs(rates.serviceVariation - 0.25) < 0.001, "0.5 and 1.5 around 1")
    #expect(abs(rates.arrivalVariation - 1) < 0.02, "two at a time: 1 s and 0 s around 0.5")
  }

  @Test("sees the end of a burst soon: arrivals are those of the last stretch in which thirty were to be expected")
  func burst() {
    var flow = DepartmentFlow(since: .zero)
    flow.count(turn(accepted: 3_000, unfinished: 3_000), at: at(1))
    #expect(flow.rates(at: at(2)).arrivals == 1_500)
    #expect(flow.rates(at: at(5)).arrivals == 0, "in two slots of two seconds nothing came")
    var slow = DepartmentFlow(since: .zero)
    for minute in 0..<30 { slow.count(turn(accepted: 1, ran: [2], unfinished: 0), at: at(Double(minute) * 60)) }
    #expect(abs(slow.rates(at: at(1_800)).arrivals - 1.0 / 60) < 0.001, "one a minute is not none")
  }

  @Test("sees that nobody comes any more, also after a few groups; groups that come again and again do not end")
  func groups() {
    var day = DepartmentFlow(since: .zero)
    day.count(turn(accepted: 40, unfinished: 40), at: at(1))
    day.count(turn(accepted: 90, unfinished: 120), at: at(2.5))
    #expect(day.rates(at: at(4)).arrivals > 0)
    #expect(day.rates(at: at(8)).arrivals == 0, "nobody has come for more than three times the longest pause")
    var groups = DepartmentFlow(since: .zero)
    let served = [Double](repeating: 1, count: 50)
    for number in 1...10 {
      groups.count(turn(accepted: 50, ran: served, unfinished: 50), at: at(Double(number) * 10))
    }
    #expect(abs(groups.rates(at: at(109)).arrivals - 5) < 1, "the next group comes soon")
    #expect(groups.rates(at: at(131)).arrivals == 0)
  }

  @Test("counts what waits, and not what was accepted for later: it comes when its time has come")
  func scheduled() {
    var flow = DepartmentFlow(since: .zero)
    flow.count(turn(accepted: 10_000, unfinished: 0), at: at(1))
    #expect(flow.rates(at: at(1)).arrivals == 0 && flow.rates(at: at(1)).lately.growth == 0)
    flow.see(unfinished: 600, at: at(30))
    let rates = flow.rates(at: at(30))
    #expect(rates.arrivals > 10 && rates.lately.growth == 600 && rates.lately.entered == 600)
  }

  @Test("the jobs of an earlier coordinator have not come now")
  func takenOver() {
    var seen = DepartmentFlow(since: .zero)
    seen.see(unfinished: 20_000, at: at(1))
    var counted = DepartmentFlow(since: .zero)
    counted.count(turn(accepted: 2, ran: [1], unfinished: 20_000), at: at(1))
    #expect(seen.rates(at: at(2)).lately.growth == 0 && counted.rates(at: at(2)).lately.growth == 1)
  }

  @Test("looks back an hour where the minutes have too few runs")
  func hour() {
    var flow = DepartmentFlow(since: .zero)
    for minute in 0..<50 { flow.count(turn(accepted: 1, ran: [20], unfinished: 0), at: at(Double(minute) * 60)) }
    #expect(flow.rates(at: at(3_000)).samples == 50 && flow.rates(at: at(3_000)).service == 20)
    #expect(flow.rates(at: at(9_000)).samples == 0)
  }

  @Test("while jobs always wait, a job takes as long as it keeps a teller, with all that lies between two jobs")
  func saturated() {
    var flow = DepartmentFlow(since: .zero)
    flow.see(tellers: 2, at: .zero)
    flow.count(turn(accepted: 100, unfinished: 100), at: .zero)
    // Runs of 10 ms, of which two tellers end one every 10 ms: each job keeps its teller for 20 ms.
    for index in 1...60 { flow.count(turn(ran: [0.01], unfinished: 100 - index), at: at(Double(index) * 0.01)) }
    #expect(abs(flow.rates(at: at(0.6)).service - 0.02) < 0.000_001)
  }

  @Test("in an ordered department, which counts as one teller, jobs beside each other take less than a run each")
  func inOrder() {
    var flow = DepartmentFlow(since: .zero)
    flow.see(tellers: 1, at: .zero)
    flow.count(turn(accepted: 90, unfinished: 90), at: .zero)
    for index in 1...30 { flow.count(turn(ran: [3, 3, 3], unfinished: 93 - index * 3), at: at(Double(index) * 3)) }
    #expect(flow.rates(at: at(90)).service == 3 && abs(flow.rates(at: at(90)).serviceInOrder - 1) < 0.05)
  }

  @Test("while a department is closed its tellers are idle, however many jobs wait")
  func closed() {
    var flow = DepartmentFlow(since: .zero)
    flow.see(tellers: 1, at: .zero)
    flow.count(turn(accepted: 90, unfinished: 90), at: .zero)
    for index in 1...40 { flow.count(turn(ran: [1], unfinished: 90 - index), at: at(Double(index))) }
    flow.see(tellers: 0, at: at(40))
    flow.see(tellers: 1, at: at(100))
    for index in 41...60 { flow.count(turn(ran: [1], unfinished: 90 - index), at: at(Double(index) + 60)) }
    #expect(abs(flow.rates(at: at(120)).service - 1) < 0.000_001)
  }

  @Test("time without waiting jobs does not count against the tellers, nor time with other tellers for the wrong ones")
  func unsaturated() {
    var flow = DepartmentFlow(since: .zero)
    flow.see(tellers: 1, at: .zero)
    flow.count(turn(accepted: 80, unfinished: 80), at: .zero)
    for index in 1...30 { flow.count(turn(ran: [1], unfinished: 80 - index), at: at(Double(index))) }
    flow.see(tellers: 2, at: at(30))
    for index in 31...78 {
      flow.count(turn(ran: [1], unfinished: 80 - index), at: at(30 + Double(index - 30) / 2))
    }
    #expect(abs(flow.rates(at: at(54)).service - 1) < 0.05)
    flow.count(turn(unfinished: 0), at: at(120))
    #expect(abs(flow.rates(at: at(120)).service - 1) < 0.05, "a minute with two jobs says nothing about the tellers")
  }
}

@Suite("Earlier forecasts of a department")
struct PastForecastsTests {
  private func ended(_ past: inout PastForecasts, _ jobs: Int, _ second: Int) {
    past.ended(jobs, at: .seconds(second))
  }

  @Test("are held against the time in which so many jobs ended")
  func errors() {
    var past = PastForecasts()
    past.make(.seconds(10), jobs: 5, at: .zero)
    #expect(past.errors == nil)
    ended(&past, 4, 5)
    #expect(past.errors == nil, "one is missing")
    ended(&past, 1, 8)
    #expect(past.errors == ForecastErrors(count: 1, medianPermille: 200, worstPermille: 200))
    past.make(.seconds(10), jobs: 1, at: .seconds(20))
    ended(&past, 1, 30)
    past.make(.seconds(10), jobs: 1, at: .seconds(40))
    ended(&past, 1, 60)
    #expect(past.errors == ForecastErrors(count: 3, medianPermille: 200, worstPermille: 500))
  }

  @Test("are made at most every ten seconds, for a second or more, and a bounded number of them")
  func limits() {
    var past = PastForecasts()
    past.make(.milliseconds(999), jobs: 1, at: .zero)
    past.make(.seconds(1), jobs: 0, at: .zero)
    ended(&past, 9, 1)
    #expect(past.errors == nil)
    for second in 0..<200 { past.make(.seconds(1_000), jobs: 1_000, at: .seconds(second)) }
    ended(&past, 1_000, 500)
    #expect(past.errors?.count == PastForecasts.openLimit)
    for round in 0..<100 {
      past.make(.seconds(10), jobs: 1, at: .seconds(1_000 + round * 20))
      ended(&past, 1, 1_010 + round * 20)
    }
    #expect(past.errors == ForecastErrors(count: PastForecasts.errorLimit, medianPermille: 0, worstPermille: 0))
  }

  @Test("that are long overdue are wrong, and make room for others")
  func overdue() {
    var past = PastForecasts()
    past.make(.seconds(10), jobs: 5, at: .zero)
    past.make(.seconds(10), jobs: 5, at: .seconds(99))
    #expect(past.errors == nil)
    past.make(.seconds(10), jobs: 5, at: .seconds(110))
    #expect(
      past.errors == ForecastErrors(count: 1, medianPermille: 909, worstPermille: 909), "10 s said, 110 s and no end")
  }

  @Test("are wrong by the longer one of both times, so never by more than all of it", arguments: [1, 10, 1_000_000])
  func bounded(factor: Int) {
    var past = PastForecasts()
    past.make(.seconds(factor), jobs: 1, at: .zero)
    ended(&past, 1, 1)
    past.make(.seconds(1), jobs: 1, at: .seconds(100))
    ended(&past, 1, 100 + min(9, factor))
    #expect((past.errors?.worstPermille ?? 0) <= 1_000)
    #expect(past.errors?.count == 2)
  }

  @Test("say nothing when somebody has changed what they took for granted")
  func forgotten() {
    var past = PastForecasts()
    past.make(.seconds(10), jobs: 1, at: .zero)
    past.forgetOpen()
    ended(&past, 1, 500)
    #expect(past.errors == nil)
  }
}

@Suite("The busy time of a department")
struct BusyTimeTests {
  @Test("runs while jobs wait or run, stops by itself, and begins anew")
  func busy() {
    var busy = BusyTime()
    busy.see(unfinished: 0, at: Timestamp(milliseconds: 5))
    #expect(busy.since == nil && busy.last == nil)
    busy.see(unfinished: 3, at: Timestamp(milliseconds: 10))
    busy.see(unfinished: 1, at: Timestamp(milliseconds: 20))
    #expect(busy.since == Timestamp(milliseconds: 10))
    busy.see(unfinished: 0, at: Timestamp(milliseconds: 30))
    #expect(busy.since == nil)
    #expect(busy.last?.since == Timestamp(milliseconds: 10) && busy.last?.until == Timestamp(milliseconds: 30))
    busy.see(unfinished: 1, at: Timestamp(milliseconds: 40))
    #expect(busy.since == Timestamp(milliseconds: 40) && busy.last?.until == Timestamp(milliseconds: 30))
  }

  @Test("goes on over a change of the coordinator, but not over one that this process has seen")
  func takenUp() {
    let flows = Flows(since: .zero)
    flows.takeUp(["work": Timestamp(milliseconds: 7)])
    flows.count(FlowTurn(unfinished: 2), in: "work", at: .zero, Timestamp(milliseconds: 50))
    #expect(flows.busyTime(of: "work").since == Timestamp(milliseconds: 7))
    flows.takeUp(["work": Timestamp(milliseconds: 1)])
    #expect(flows.busyTime(of: "work").since == Timestamp(milliseconds: 7))
    #expect(flows.busySince == ["work": Timestamp(milliseconds: 7)])
  }

  @Test("is recorded when it has lasted a second, and taken back when it is over")
  func recorded() {
    let flows = Flows(since: .zero)
    flows.count(FlowTurn(unfinished: 2), in: "work", at: .zero, Timestamp(milliseconds: 0))
    #expect(flows.busyToRecord(at: Timestamp(milliseconds: 999)).isEmpty)
    let busy = flows.busyToRecord(at: Timestamp(milliseconds: 1_000))
    #expect(busy == ["work": Timestamp(milliseconds: 0)])
    flows.noteRecorded(busy)
    #expect(flows.busyToRecord(at: Timestamp(milliseconds: 9_000)).isEmpty)
    flows.count(FlowTurn(unfinished: 0), in: "work", at: .seconds(9), Timestamp(milliseconds: 9_000))
    flows.count(FlowTurn(unfinished: 1), in: "work", at: .seconds(9), Timestamp(milliseconds: 9_001))
    let over = flows.busyToRecord(at: Timestamp(milliseconds: 9_002))
    #expect(over == ["work": nil], "the new time is too short, and the old one is over")
    flows.noteRecorded(over)
    #expect(flows.busyToRecord(at: Timestamp(milliseconds: 9_003)).isEmpty)
  }
}
