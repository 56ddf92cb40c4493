import JobModel

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
  package var lately: LastMinute

  package init(
    samples: Int, arrivals: Double, service: Double, serviceInOrder: Double? = nil, arrivalVariation: Double = 1,
    serviceVariation: Double = 1, lately: LastMinute
  ) {
    (self.samples, self.arrivals, self.service) = (samples, arrivals, service)
    self.serviceInOrder = serviceInOrder ?? service
    (self.arrivalVariation, self.serviceVariation) = (arrivalVariation, serviceVariation)
    self.lately = lately
  }

  /// Whether about as many jobs have come in the last minute as the arrivals say: people see both side by side.
  var areBorneOut: Bool { lately.bearsOut(arrivals: arrivals, variation: arrivalVariation) }
}

/// What the last minute says by itself: a forecast that it does not bear out is not made. A pure value.
package struct LastMinute: Hashable, Sendable {
  /// How long it is, in seconds: less than a minute where the record has just begun.
  package var seconds: Double
  /// The jobs that began to wait.
  package var entered: Int
  /// How many more jobs wait or run than a minute ago, and than half a minute ago.
  package var growth: Int
  package var growthOfHalf: Int
  /// Whether so many more have left in the last seconds than came that it is no chance.
  package var isLeaving: Bool
  /// The most jobs that waited or ran at once.
  package var most: Int
  /// For how many teller seconds jobs waited all the time, and how many runs ended in that time.
  package var saturatedTime: Double
  package var saturatedRuns: Int

  package init(
    seconds: Double, entered: Int, growth: Int, growthOfHalf: Int, isLeaving: Bool = false, most: Int,
    saturatedTime: Double = 0, saturatedRuns: Int = 0
  ) {
    self.isLeaving = isLeaving
    (self.seconds, self.entered, self.growth, self.growthOfHalf) = (seconds, entered, growth, growthOfHalf)
    (self.most, self.saturatedTime, self.saturatedRuns) = (most, saturatedTime, saturatedRuns)
  }

  /// More jobs wait than before, and they still come faster than they end.
  var isGrowing: Bool { growth > 0 && growthOfHalf > 0 && !isLeaving }
  var isShrinking: Bool { growthOfHalf < 0 }
  /// By how many jobs a second it grew.
  var growthRate: Double { Double(growth) / max(1, seconds) }

  /// Whether the number of jobs that came fits this arrival rate, within what chance explains for the squared variation of
  /// the times between arrivals.
  func bearsOut(arrivals: Double, variation: Double) -> Bool {
    guard arrivals > 0 else { return entered == 0 }
    let expected = arrivals * seconds
    let chance = (max(1, variation) * max(1, expected)).squareRoot()
    return abs(Double(entered) - expected) <= DepartmentFlow.clearly * chance
  }

  /// Whether about as many runs have ended as there would be if each took so many seconds.
  func bearsOut(service: Double) -> Bool {
    let expected = saturatedTime / service
    return Double(saturatedRuns) >= expected - DepartmentFlow.clearly * expected.squareRoot()
  }
}

extension DepartmentFlow {
  /// The rates of the last minute, or of the shortest of the longer stretches that has enough runs.
  package func rates(at now: Duration) -> FlowRates {
    let stretches = [near.sum(of: slots(of: .minute), at: now), near.sum(at: now)]
    let sums = stretches.first { $0.runs.count >= DepartmentFlow.fewestSamples } ?? far.sum(at: now)
    let arrivals = arrivals(at: now)
    return FlowRates(
      samples: sums.runs.count, arrivals: arrivals.rate, service: sums.runs.mean + sums.betweenRuns,
      serviceInOrder: sums.serviceInOrder, arrivalVariation: arrivals.variation,
      serviceVariation: sums.runs.squaredVariation, lately: lately(at: now))
  }

  private func lately(at now: Duration) -> LastMinute {
    let sums = near.sum(of: slots(of: .minute), at: now)
    return LastMinute(
      seconds: time(of: slots(of: .minute), in: near, at: now), entered: sums.entered, growth: sums.growth,
      growthOfHalf: near.sum(of: slots(of: .half), at: now).growth, isLeaving: isLeaving(at: now),
      most: max(sums.most, unfinished ?? 0),
      saturatedTime: sums.saturatedTime, saturatedRuns: sums.saturatedRuns.count)
  }

  /// In the last four seconds, or where few leave in the last ten.
  private func isLeaving(at now: Duration) -> Bool {
    [DepartmentFlow.lastSlots, slots(of: .moment)].contains { slots in
      let last = near.sum(of: slots, at: now)
      let left = Double(last.entered - last.growth)
      return Double(-last.growth) > DepartmentFlow.clearly * max(1, left).squareRoot()
    }
  }

  /// The slots of the last four seconds, and the one that has only begun.
  private static let lastSlots = 3

  /// The arrivals each second, and the squared variation of the times between them: those of minutes or of an hour, unless
  /// a shorter stretch says clearly that this has changed. Chance is no change, and the end of a burst is seen soon.
  private func arrivals(at now: Duration) -> (rate: Double, variation: Double) {
    let minutes = near.sum(at: now)
    let (usual, ring) = minutes.entered < DepartmentFlow.fewestSamples ? (far.sum(at: now), far) : (minutes, near)
    guard usual.entered > 0, !hasEnded(usual, at: now) else { return (0, 0) }
    var (found, sums) = (rate(usual, of: ring.count, in: ring, at: now), usual)
    for stretch in Stretch.allCases {
      let last = near.sum(of: slots(of: stretch), at: now)
      let expected = found * time(of: slots(of: stretch), in: near, at: now)
      let difference = Double(last.entered) - expected
      // A group that comes at once says nothing of how many groups come.
      guard stretch.showsMore || difference < 0 else { continue }
      guard abs(difference) > DepartmentFlow.clearly * max(1, expected).squareRoot() else { continue }
      (found, sums) = (rate(last, of: slots(of: stretch), in: near, at: now), last)
    }
    return (found, sums.betweenArrivals.squaredVariation)
  }

  /// The stretches of the last minute that are looked at by themselves, the longest first.
  private enum Stretch: Int64, CaseIterable {
    case minute = 60
    case half = 30
    case moment = 10

    var showsMore: Bool { self != .moment }
  }

  /// The slot of this moment has only begun: it stands beside them.
  private func slots(of stretch: Stretch) -> Int { Int(stretch.rawValue / near.width) + 1 }

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
  static let clearly = 3.0

  /// The arrivals each second in these slots, as far as they were counted.
  private func rate(_ sums: FlowSums, of slots: Int, in ring: SlotRing<FlowSums>, at now: Duration) -> Double {
    Double(sums.entered) / max(1, time(of: slots, in: ring, at: now))
  }

  private func time(of slots: Int, in ring: SlotRing<FlowSums>, at now: Duration) -> Double {
    min(ring.reach(of: slots, at: now), now - began).inSeconds
  }
}
