import JobModel

/// What came into a department and what left it, in a stretch of time. A pure value.
package struct FlowSums: SlotValue {
  package var accepted = 0
  /// The times between one arrival and the next.
  package var betweenArrivals = Moments()
  /// The longest of these times.
  package var longestGap: Duration = .zero
  /// The last run of each job that has ended.
  package var runs = Moments()
  /// The runs of those jobs that have ended while others waited all the time.
  package var saturatedRuns = Moments()
  /// How long so many tellers had jobs waiting all the time, in seconds times tellers.
  package var saturatedTime = 0.0

  package init() {}

  /// How many seconds a teller that has always something to do spends on a job.
  private var saturatedService: Double { saturatedTime / Double(saturatedRuns.count) }
  private var isMeasured: Bool { saturatedRuns.count >= DepartmentFlow.fewestSamples && saturatedTime > 0 }
  /// The same of an ordered department, which counts as one teller: less than a run where jobs run beside each other.
  var serviceInOrder: Double { isMeasured ? saturatedService : runs.mean }

  /// How many seconds lie between two runs of a teller that has always something to do; 0: not known. It is measured by
  /// itself: jobs wait more often while runs are long, so those runs are no sample of all runs.
  var betweenRuns: Double {
    guard isMeasured else { return 0 }
    return max(0, saturatedService - saturatedRuns.mean)
  }

  package mutating func add(_ other: FlowSums) {
    accepted += other.accepted
    betweenArrivals.add(other.betweenArrivals)
    longestGap = max(longestGap, other.longestGap)
    runs.add(other.runs)
    saturatedRuns.add(other.saturatedRuns)
    saturatedTime += other.saturatedTime
  }
}

/// What one turn did to a department, and how it stands after the turn.
package struct FlowTurn: Sendable {
  package var accepted = 0
  /// Jobs that have ended after they ran.
  package var ran: [Duration] = []
  /// Jobs that have ended without a run: cancelled, or too late.
  package var endedUnrun = 0
  /// The jobs that wait or run; without those that are held until a time, or until other jobs have ended.
  package var unfinished: Int
  /// The jobs of these that a teller can take.
  package var servable: Int

  package init(unfinished: Int, servable: Int? = nil) {
    (self.unfinished, self.servable) = (unfinished, servable ?? unfinished)
  }
}

/// The flow of one department, as far back as a forecast needs it: a ring of minutes, and one of an hour for departments with
/// few jobs. A pure value of one size.
package struct DepartmentFlow: Hashable, Sendable {
  /// Five minutes, in slots of two seconds.
  private var near = SlotRing<FlowSums>(width: 2, slots: 150)
  /// An hour, in slots of two minutes.
  private var far = SlotRing<FlowSums>(width: 120, slots: 30)
  private let began: Duration
  private var lastArrival: Duration?
  /// Nil: jobs did not wait after the last turn.
  private var saturation: Saturation?
  /// As they were seen last.
  private var tellers = 0
  private var servable = 0

  /// The tellers that have enough to do, and since when.
  private struct Saturation: Hashable {
    var tellers: Int
    var since: Duration
  }

  /// How many runs, and how many arrivals, make a rate.
  package static let fewestSamples = DepartmentForecast.fewestSamples

  /// `began`: since when everything is counted, on the clock of all times that follow.
  package init(since began: Duration) { self.began = began }

  /// Counts a turn.
  package mutating func count(_ turn: FlowTurn, at now: Duration) {
    var sums = saturatedSums(turn.ran, at: now)
    sums.accepted = turn.accepted
    if turn.accepted > 0 { countArrivals(turn.accepted, at: now, &sums) }
    for time in turn.ran { sums.runs.add(time) }
    add(sums, at: now)
    servable = turn.servable
    beginSaturation(at: now)
  }

  /// Sees how many tellers may take a job now; 0 while the department is closed.
  package mutating func see(tellers: Int, at now: Duration) {
    guard tellers != self.tellers || saturation != nil else { return }
    add(saturatedSums([], at: now), at: now)
    self.tellers = tellers
    beginSaturation(at: now)
  }

  /// The turn's first job came after the last arrival, the others came with it.
  private mutating func countArrivals(_ count: Int, at now: Duration, _ sums: inout FlowSums) {
    if let lastArrival {
      sums.betweenArrivals.add(now - lastArrival)
      sums.longestGap = now - lastArrival
    }
    sums.betweenArrivals.add(0, times: count - 1)
    lastArrival = now
  }

  private func saturatedSums(_ runs: [Duration], at now: Duration) -> FlowSums {
    var sums = FlowSums()
    guard let saturation else { return sums }
    for time in runs { sums.saturatedRuns.add(time) }
    sums.saturatedTime = (now - saturation.since).inSeconds * Double(saturation.tellers)
    return sums
  }

  /// Jobs in the hands of tellers count as unfinished, too: with as many again, jobs wait.
  private mutating func beginSaturation(at now: Duration) {
    saturation = tellers > 0 && servable >= 2 * tellers ? Saturation(tellers: tellers, since: now) : nil
  }

  private mutating func add(_ sums: FlowSums, at now: Duration) {
    near.add(sums, at: now)
    far.add(sums, at: now)
  }
}

extension DepartmentFlow {
  /// The rates of the last minutes, or of the last hour where the minutes have too few runs.
  package func rates(at now: Duration) -> FlowRates {
    let minutes = near.sum(at: now)
    let sums = minutes.runs.count < DepartmentFlow.fewestSamples ? far.sum(at: now) : minutes
    return FlowRates(sums, arrivals: arrivalRate(at: now))
  }

  /// The arrivals each second: as ``rates(at:)``, unless the last stretch says clearly that this has changed. In that
  /// stretch ``fewestSamples`` arrivals were to be expected: so the end of a burst is seen soon, and chance is no change.
  private func arrivalRate(at now: Duration) -> Double {
    let minutes = near.sum(at: now)
    let (sums, all) = minutes.accepted < DepartmentFlow.fewestSamples ? (far.sum(at: now), far) : (minutes, near)
    let usual = rate(sums, of: all.count, in: all, at: now)
    guard usual > 0, !hasEnded(sums, at: now) else { return 0 }
    let stretch = Double(DepartmentFlow.fewestSamples) / usual
    let ring = stretch < Double(near.width * Int64(near.count - 1)) ? near : far
    // The slot of this moment has only begun.
    let slots = Int(min((stretch / Double(ring.width)).rounded(.up) + 1, Double(ring.count)))
    let last = ring.sum(of: slots, at: now)
    let expected = usual * time(of: slots, in: ring, at: now)
    // As many arrivals as are expected have this variance where the times between them vary so.
    let deviation = (expected * max(1, sums.betweenArrivals.squaredVariation)).squareRoot()
    guard abs(Double(last.accepted) - expected) > DepartmentFlow.clearly * deviation else { return usual }
    return rate(last, of: slots, in: ring, at: now)
  }

  /// Whether no jobs come any more: for much longer than ever before. Where all came at once, the numbers of a stretch could
  /// not say it, since as many may come at once again.
  private func hasEnded(_ sums: FlowSums, at now: Duration) -> Bool {
    guard let lastArrival else { return false }
    return now - lastArrival > max(DepartmentFlow.shortestEnd, sums.longestGap * DepartmentFlow.muchLonger)
  }

  /// How many times the longest time between two arrivals is no chance, and what is no end in any case.
  private static let muchLonger = 3
  private static let shortestEnd: Duration = .seconds(2)

  /// How many standard deviations are no chance.
  private static let clearly = 3.0

  /// The arrivals each second in these slots, as far as they were counted.
  private func rate(_ sums: FlowSums, of slots: Int, in ring: SlotRing<FlowSums>, at now: Duration) -> Double {
    Double(sums.accepted) / max(1, time(of: slots, in: ring, at: now))
  }

  private func time(of slots: Int, in ring: SlotRing<FlowSums>, at now: Duration) -> Double {
    min(ring.reach(of: slots, at: now), now - began).inSeconds
  }
}

/// What a forecast is made from.
package struct FlowRates: Hashable, Sendable {
  /// How many runs were seen.
  package var samples: Int
  /// How many jobs come each second.
  package var arrivals: Double
  /// How many seconds one job keeps a teller, with all that lies between two jobs where that is known.
  package var service: Double
  /// The same in an ordered department, as if it had one teller.
  package var serviceInOrder: Double
  /// The squared variations of the times between arrivals, and of the runs.
  package var arrivalVariation: Double
  package var serviceVariation: Double

  package init(
    samples: Int, arrivals: Double, service: Double, serviceInOrder: Double? = nil, arrivalVariation: Double = 1,
    serviceVariation: Double = 1
  ) {
    (self.samples, self.arrivals, self.service) = (samples, arrivals, service)
    self.serviceInOrder = serviceInOrder ?? service
    (self.arrivalVariation, self.serviceVariation) = (arrivalVariation, serviceVariation)
  }

  init(_ sums: FlowSums, arrivals: Double) {
    self.init(
      samples: sums.runs.count, arrivals: arrivals, service: sums.runs.mean + sums.betweenRuns,
      serviceInOrder: sums.serviceInOrder,
      arrivalVariation: sums.betweenArrivals.squaredVariation, serviceVariation: sums.runs.squaredVariation)
  }
}
