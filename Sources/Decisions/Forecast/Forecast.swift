package import JobModel

/// How a department stands at the moment of a forecast.
package struct ForecastSubject: Hashable, Sendable {
  /// The jobs that could run and do not.
  package var waiting: Int
  package var running: Int
  /// The jobs that wait, and that no teller can take: those without a handler, and suspects behind others.
  package var blocked: Int
  /// How many jobs can run at once.
  package var tellers: Int
  /// Whether one more teller would serve more.
  package var isGrowable: Bool
  package var isOpen: Bool
  package var rates: FlowRates

  package init(
    waiting: Int, running: Int, blocked: Int = 0, tellers: Int, isGrowable: Bool = true, isOpen: Bool = true,
    rates: FlowRates
  ) {
    (self.waiting, self.running, self.blocked, self.tellers) = (waiting, running, blocked, tellers)
    (self.isGrowable, self.isOpen, self.rates) = (isGrowable, isOpen, rates)
  }

  package var unfinished: Int { waiting + running }
}

// The forecast of a department: pure arithmetic.

extension ForecastSubject {
  /// The forecast, without how wrong earlier ones were.
  package var forecast: DepartmentForecast {
    if isOpen, unfinished + blocked == 0, rates.arrivals == 0 || rates.lately.entered == 0 {
      return DepartmentForecast(course: .idle, samples: rates.samples)
    }
    if let silence { return DepartmentForecast(course: .silent, reason: silence, samples: rates.samples) }
    var forecast = DepartmentForecast(
      course: course, samples: rates.samples, acceptedPerHour: perHour(rates.arrivals),
      capacityPerHour: perHour(capacity), loadPermille: rates.areBorneOut ? whole(1_000 * load) : nil)
    addTimes(to: &forecast)
    return forecast
  }

  private var silence: DepartmentForecast.Silence? {
    if !isOpen { return .closed }
    if tellers < 1 { return .noTellers }
    if unfinished == 0, blocked > 0 { return .blocked }
    if rates.samples < DepartmentFlow.fewestSamples || rates.service <= 0 { return .fewSamples }
    return rates.lately.bearsOut(service: rates.service) ? nil : .unsteady
  }

  /// How many jobs the tellers can serve each second.
  private var capacity: Double { Double(tellers) / rates.service }
  private var load: Double { rates.arrivals / capacity }

  /// Fewer waiting jobs than tellers are no backlog: they come and go. More that come than can be served are not enough: a
  /// department that has not grown in the last minute does not grow.
  private var course: DepartmentForecast.Course {
    if load >= 1, rates.lately.isGrowing { return .grows }
    return waiting > tellers ? .drains : .steady
  }

  private func addTimes(to forecast: inout DepartmentForecast) {
    if unfinished > 0 {
      forecast.drainsIn = drainTime(with: tellers)
      if isGrowable { forecast.drainsInWithOneMore = drainTime(with: tellers + 1) }
    }
    switch forecast.course {
    case .drains:
      if load < 1, rates.lately.isShrinking {
        forecast.emptiesIn = seconds(Double(waiting) / (capacity - rates.arrivals))
      }
    case .grows: forecast.growsPerHour = perHour(min(rates.arrivals - capacity, rates.lately.growthRate))
    case .steady:
      forecast.wait = meanWait(with: tellers)
      if isGrowable { forecast.waitWithOneMore = meanWait(with: tellers + 1) }
    default: break
    }
  }

  /// When the last of the present jobs has ended. The tellers that are free begin at once. The others follow at the rate
  /// of all tellers, and the last one takes as long as a job takes.
  private func drainTime(with tellers: Int) -> Duration {
    let free = max(0, tellers - running)
    let behind = Double(max(0, waiting - free)) * rates.service / Double(tellers)
    return seconds(behind + rates.service)
  }

  /// Nil also when the last minute does not bear the arrivals out, or when more jobs would wait on average than have waited at
  /// any moment of it.
  private func meanWait(with tellers: Int) -> Duration? {
    let wait = Queueing.meanWait(
      tellers: tellers, arrivals: rates.arrivals, service: rates.service,
      variation: (rates.arrivalVariation, rates.serviceVariation))
    guard let wait, rates.lately.entered > 0, rates.areBorneOut else { return nil }
    guard wait * rates.arrivals <= Double(rates.lately.most) else { return nil }
    return seconds(wait)
  }

  private func perHour(_ rate: Double) -> Int { whole(rate * 3_600) }

  private func whole(_ number: Double) -> Int { Int(exactly: min(number, 1e15).rounded()) ?? 0 }

  /// Bounded before it is converted: with next to no arrivals the time is longer than a number of milliseconds can say.
  private func seconds(_ seconds: Double) -> Duration {
    .milliseconds(Int64(min(seconds, DepartmentForecast.longest.inSeconds) * 1_000))
  }
}
