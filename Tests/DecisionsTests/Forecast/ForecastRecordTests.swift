import Decisions
import JobModel
import TestSupport
import Testing

@Suite("Forecasts, held against the record of the last minute")
struct ForecastRecordTests {
  /// What no forecast says, whatever has happened.
  private func check(_ forecast: DepartmentForecast, of played: PlayedDepartment, _ seed: String) {
    let moment = "\(seed), after \(played.now) s: \(forecast)"
    if forecast.course == .grows {
      #expect(played.levels(ago: 60).contains { $0 < played.level }, "it has not grown in a minute: \(moment)")
      #expect(played.levels(ago: 30).contains { $0 < played.level }, "it has not grown in half of it: \(moment)")
    }
    if forecast.emptiesIn != nil {
      #expect(played.levels(ago: 30).contains { $0 > played.level }, "it does not shrink: \(moment)")
    }
    if let wait = forecast.wait {
      #expect(played.entered(within: 62) > 0, "nobody came: \(moment)")
      let most = played.record.filter { $0.at > played.now - 63 }.map(\.level).max() ?? 0
      let rate = Double(forecast.acceptedPerHour) / 3_600
      #expect(wait.inSeconds * rate <= Double(most) + 1, "so many never waited: \(moment)")
    }
    if forecast.loadPermille != nil, forecast.acceptedPerHour == 0 {
      #expect(played.entered(within: 58) <= 3, "jobs came: \(moment)")
    }
    #expect((forecast.past?.worstPermille ?? 0) <= 1_000)
    if forecast.course == .silent || forecast.course == .idle {
      #expect(forecast.shownDrainTime == nil && forecast.wait == nil && forecast.emptiesIn == nil)
    }
  }

  @Test("no record makes one say what the last minute does not bear out", arguments: 0..<12)
  func property(number: Int) {
    var random = SeededRandom(for: "record \(number)")
    var played = PlayedDepartment(
      tellers: Int.random(in: 1...6, using: &random), service: Double.random(in: 0.1...4, using: &random), random)
    for _ in 0..<12 {
      // Each stretch has arrivals, cancelled jobs, tellers and a speed of its own.
      let steps = Int.random(in: 20...600, using: &random)
      let rates: [Double] = [0, 0, 0.01, 0.2, 1, 3]
      let rate = rates.randomElement(using: &random) ?? 0
      let burst = Bool.random(using: &random) ? Int.random(in: 0...800, using: &random) : 0
      if Int.random(in: 0..<4, using: &random) == 0 { played.tellers = Int.random(in: 0...6, using: &random) }
      if Int.random(in: 0..<4, using: &random) == 0 { played.service = Double.random(in: 0.1...9, using: &random) }
      for step in 0..<steps {
        let isComing = Double.random(in: 0..<1, using: &random) < rate.truncatingRemainder(dividingBy: 1)
        let isCancelled = Int.random(in: 0..<400, using: &random) == 0
        played.go(
          arrivals: (step == 0 ? burst : 0) + Int(rate) + (isComing ? 1 : 0),
          cancelled: isCancelled ? Int.random(in: 1...300, using: &random) : 0)
        if step.isMultiple(of: 4) { check(played.look(), of: played, "record \(number)") }
      }
    }
  }

  /// A department with a job now and then for ten minutes, and a burst; then a job now and then again, until it is empty.
  private func burst(of jobs: Int, in seconds: Double, tellers: Int, service: Double) -> [(Double, DepartmentForecast)]
  {
    var random = SeededRandom(for: "burst")
    var played = PlayedDepartment(tellers: tellers, service: service, random)
    var forecasts: [(Double, DepartmentForecast)] = []
    let (begin, each) = (2_400, Int(seconds / PlayedDepartment.step))
    var step = 0
    while step < begin + each || played.level > 0 {
      let isBurst = step >= begin && step < begin + each
      let now = isBurst ? jobs / each : Int.random(in: 0..<280, using: &random) == 0 ? 1 : 0
      played.go(arrivals: now)
      step += 1
      guard step.isMultiple(of: 4) else { continue }
      let forecast = played.look()
      check(forecast, of: played, "burst of \(jobs)")
      if step >= begin + each { forecasts.append((Double(step - begin - each) * PlayedDepartment.step, forecast)) }
    }
    return forecasts + [(Double(step - begin - each) * PlayedDepartment.step, played.look())]
  }

  @Test(
    "a burst that is over does not grow, and its forecasts are right",
    arguments: [(450, 4.0, 3, 1.8), (20_000, 20, 20, 0.75), (400, 2, 5, 0.5), (900, 30, 5, 1)])
  func bursts(jobs: Int, seconds: Double, tellers: Int, service: Double) throws {
    let forecasts = burst(of: jobs, in: seconds, tellers: tellers, service: service)
    let all = try #require(forecasts.last?.0)
    for (after, forecast) in forecasts where after > 13 { #expect(forecast.course != .grows, "after \(after) s") }
    for (after, forecast) in forecasts where after > 35 && after < 0.9 * all {
      #expect(forecast.course == .drains, "after \(after) s: \(forecast)")
      let left = all - after
      let said = try #require(forecast.drainsIn).inSeconds
      #expect(abs(said - left) < 0.2 * left + 3, "after \(after) s: \(said) of \(left)")
      if let empties = forecast.emptiesIn { #expect(empties.inSeconds < 1.3 * left + 5, "\(empties) of \(left)") }
    }
    let past = try #require(forecasts.last?.1.past)
    #expect(past.medianPermille < 250 && past.worstPermille <= 1_000)
  }

  @Test("after a burst, with all tellers idle, no wait of minutes is told, and after a minute without a job it is idle")
  func idleAfterBurst() {
    var played = PlayedDepartment(tellers: 5, service: 1, SeededRandom(for: "idle"))
    played.go(arrivals: 450)
    while played.level > 0 { played.go() }
    for second in 0..<180 {
      for step in 0..<4 { played.go(arrivals: second % 20 == 0 && step == 0 && second < 90 ? 1 : 0) }
      let forecast = played.look()
      if let wait = forecast.wait { #expect(wait < .seconds(1), "after \(second) s: \(forecast)") }
      #expect(forecast.course != .grows && (second < 144 || forecast.course == .idle), "after \(second) s: \(forecast)")
    }
  }

  @Test("runs that become ten times longer end the forecast, and later it is right again")
  func slower() throws {
    var played = PlayedDepartment(tellers: 4, service: 0.5, SeededRandom(for: "slower"))
    played.go(arrivals: 3_000)
    while played.now < 60 { played.go() }
    #expect(played.look().course == .drains)
    played.service = 5
    var courses: [DepartmentForecast.Course] = []
    while played.now < 200 {
      played.go()
      if played.now.truncatingRemainder(dividingBy: 1) == 0 { courses.append(played.look().course) }
    }
    #expect(courses.contains(.silent))
    let forecast = played.look()
    let left = Double(played.level) * 5 / 4
    #expect(forecast.course == .drains)
    #expect(abs((forecast.drainsIn?.inSeconds ?? 0) - left) < 0.25 * left, "\(forecast)")
  }
}
