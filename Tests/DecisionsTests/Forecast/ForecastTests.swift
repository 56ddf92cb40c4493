import Decisions
import JobModel
import Testing

@Suite("The forecast of a department")
struct ForecastTests {
  private func subject(
    waiting: Int = 0, running: Int = 0, tellers: Int = 2, arrivals: Double = 0, service: Double = 1, samples: Int = 30,
    isGrowable: Bool = true, isOpen: Bool = true, lately: LastMinute? = nil
  ) -> ForecastSubject {
    ForecastSubject(
      waiting: waiting, running: running, tellers: tellers, isGrowable: isGrowable, isOpen: isOpen,
      rates: FlowRates(
        samples: samples, arrivals: arrivals, service: service,
        lately: lately
          ?? minute(
            entered: Int(min(1e15, arrivals * 60)), growth: arrivals * service < Double(tellers) ? -9 : 720)))
  }

  /// A minute in which jobs came.
  private func minute(
    entered: Int = 60, growth: Int, ofHalf: Int? = nil, most: Int = 720, runs: Int = 0, saturated: Double = 0
  ) -> LastMinute {
    LastMinute(
      seconds: 60, entered: entered, growth: growth, growthOfHalf: ofHalf ?? growth, most: most,
      saturatedTime: saturated, saturatedRuns: runs)
  }

  @Test("is silent with the reason: few runs, nobody who serves, closed")
  func silent() {
    let few = subject(waiting: 9, samples: 29).forecast
    #expect(few.course == .silent && few.reason == .fewSamples && few.samples == 29)
    #expect(few.drainsIn == nil && few.loadPermille == nil)
    #expect(subject(waiting: 9, tellers: 0).forecast.reason == .noTellers)
    #expect(subject(waiting: 9, isOpen: false).forecast.reason == .closed)
    #expect(subject(waiting: 9, service: 0).forecast.reason == .fewSamples, "runs of no time say nothing")
    #expect(subject(waiting: 9, samples: 30).forecast.course == .drains)
  }

  @Test("a backlog is done at the rate of all tellers, and sooner with one more")
  func drains() {
    let forecast = subject(waiting: 20, running: 2, arrivals: 0.5).forecast
    #expect(forecast.course == .drains && forecast.loadPermille == 250)
    #expect(forecast.acceptedPerHour == 1_800 && forecast.capacityPerHour == 7_200)
    #expect(forecast.drainsIn == .seconds(11), "20 behind two tellers, and the last one takes a second")
    #expect(forecast.drainsInWithOneMore == .milliseconds(7_333), "one begins at once, 19 stand behind three")
    #expect(forecast.emptiesIn == .milliseconds(13_333), "20 by 2 − 0.5 a second")
    #expect(forecast.growsPerHour == nil && forecast.wait == nil)
  }

  @Test("free tellers begin at once")
  func free() {
    #expect(subject(waiting: 3, tellers: 5).forecast.drainsIn == .seconds(1))
    #expect(subject(waiting: 10, tellers: 2).forecast.drainsIn == .seconds(5))
  }

  @Test("above the capacity it grows, and says by how much; a backlog is still done in its time")
  func grows() {
    let forecast = subject(waiting: 20, running: 2, arrivals: 14).forecast
    #expect(forecast.course == .grows && forecast.growsPerHour == 12 * 3_600 && forecast.loadPermille == 7_000)
    #expect(forecast.drainsIn == .seconds(11) && forecast.emptiesIn == nil && forecast.wait == nil)
  }

  @Test("as few waiting jobs as tellers are no backlog: a job waits so long on average")
  func steady() {
    let forecast = subject(waiting: 2, running: 2, arrivals: 1).forecast
    #expect(forecast.course == .steady && forecast.emptiesIn == nil)
    #expect(forecast.wait == .milliseconds(333), "Erlang: a third waits, a second on average")
    #expect(forecast.waitWithOneMore == .milliseconds(45))
    #expect(forecast.drainsIn == .seconds(2))
    let full = subject(waiting: 2, running: 2, arrivals: 2.5).forecast
    #expect(full.course == .grows && full.wait == nil && full.growsPerHour == 1_800, "a backlog begins")
  }

  @Test("is idle when nothing is there and nothing comes")
  func idle() {
    let forecast = subject().forecast
    #expect(forecast.course == .idle && forecast.drainsIn == nil && forecast.loadPermille == nil)
    #expect(subject(tellers: 0, samples: 0).forecast.course == .idle, "nothing is missing")
    #expect(subject(isOpen: false).forecast.reason == .closed)
    let blocked = ForecastSubject(
      waiting: 0, running: 0, blocked: 3, tellers: 1,
      rates: FlowRates(samples: 99, arrivals: 0, service: 1, lately: minute(growth: 0)))
    #expect(blocked.forecast.reason == .blocked, "three jobs without a handler are not nothing")
    #expect(subject(arrivals: 0.1).forecast.course == .steady)
  }

  @Test("a department that has not grown in the last minute, or has shrunk in its half, does not grow")
  func notGrowing() {
    for lately in [
      minute(growth: 0), minute(growth: -1), minute(growth: 90, ofHalf: -2), minute(growth: 90, ofHalf: 0),
    ] {
      let forecast = subject(waiting: 20, running: 2, arrivals: 14, lately: lately).forecast
      #expect(forecast.course == .drains && forecast.growsPerHour == nil && forecast.emptiesIn == nil)
      #expect(forecast.drainsIn == .seconds(11))
      #expect(subject(waiting: 1, running: 2, arrivals: 14, lately: lately).forecast.wait == nil)
    }
    var leaving = minute(growth: 90)
    leaving.isLeaving = true
    #expect(subject(waiting: 20, running: 2, arrivals: 14, lately: leaving).forecast.course == .drains)
    let little = subject(waiting: 20, running: 2, arrivals: 14, lately: minute(growth: 6)).forecast
    #expect(little.course == .grows && little.growsPerHour == 6 * 60, "by as much as it did, not by 12/s")
  }

  @Test("what is said of those that come is borne out by a department that shrinks")
  func notShrinking() {
    let growing = subject(waiting: 20, running: 2, arrivals: 1.9, lately: minute(growth: 4)).forecast
    #expect(growing.course == .drains && growing.emptiesIn == nil)
  }

  @Test("no wait is told where no job came, or where fewer ever waited than would have to")
  func unprovenWait() {
    let empty = subject(running: 1, arrivals: 1, lately: minute(entered: 0, growth: 0)).forecast
    #expect(empty.course == .steady && empty.wait == nil && empty.waitWithOneMore == nil)
    #expect(subject(arrivals: 1, lately: minute(entered: 0, growth: 0)).forecast.course == .idle)
    let idle = subject(running: 1, arrivals: 1.9, lately: minute(growth: 0, most: 3)).forecast
    #expect(idle.course == .steady && idle.wait == nil, "nine would wait, and three were there at most")
  }

  @Test(
    "no load is told that the last minute does not bear out: a burst that is over, fewer than usual, more than usual",
    arguments: [(131, 0.0, 1.0, false), (0, 2, 1, false), (400, 2, 1, false), (131, 2, 1, true), (131, 0.4, 130, true)])
  func unprovenLoad(entered: Int, arrivals: Double, variation: Double, isTold: Bool) {
    var subject = subject(
      waiting: 40, running: 2, tellers: 4, arrivals: arrivals, lately: minute(entered: entered, growth: -9))
    subject.rates.arrivalVariation = variation
    let forecast = subject.forecast
    #expect(forecast.course == .drains && forecast.drainsIn != nil && forecast.capacityPerHour == 4 * 3_600)
    #expect((forecast.loadPermille != nil) == isTold)
    (subject.waiting, subject.running) = (0, 1)
    #expect(isTold || subject.forecast.wait == nil)
  }

  @Test("is silent when clearly fewer ended in the last minute than the runs promise")
  func unsteady() {
    let lately = { (runs: Int) in self.minute(growth: -1, runs: runs, saturated: 120) }
    #expect(subject(waiting: 50, running: 2, lately: lately(0)).forecast.reason == .unsteady)
    #expect(subject(waiting: 50, running: 2, lately: lately(80)).forecast.reason == .unsteady)
    #expect(subject(waiting: 50, running: 2, lately: lately(100)).forecast.course == .drains, "chance")
    #expect(subject(waiting: 50, running: 2, service: 60, lately: lately(0)).forecast.course == .drains, "too short")
  }

  @Test("does not speak of one more teller where it would change nothing")
  func notGrowable() {
    #expect(subject(waiting: 20, isGrowable: false).forecast.drainsInWithOneMore == nil)
    #expect(subject(arrivals: 1, isGrowable: false).forecast.waitWithOneMore == nil)
  }

  @Test("no number is too large for it")
  func bounded() {
    let year = DepartmentForecast.longest
    #expect(subject(waiting: .max / 2, service: 1e6).forecast.drainsIn == year)
    #expect(subject(waiting: 1_000, arrivals: 2 - 1e-12).forecast.emptiesIn == year)
    #expect(subject(waiting: 9, arrivals: 1e300, service: 1e-9).forecast.course == .grows)
  }
}
