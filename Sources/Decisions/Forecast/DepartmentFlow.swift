import JobModel

/// The flow of one department, as far back as a forecast needs it: a ring of minutes, and one of an hour for departments with
/// few jobs. A pure value of one size.
package struct DepartmentFlow: Hashable, Sendable {
  /// Five minutes, in slots of two seconds.
  private(set) var near = SlotRing<FlowSums>(width: 2, slots: 150)
  /// An hour, in slots of two minutes.
  private(set) var far = SlotRing<FlowSums>(width: 120, slots: 30)
  let began: Duration
  private(set) var lastArrival: Duration?
  /// Nil: jobs did not wait after the last turn.
  private var saturation: Saturation?
  /// As they were seen last.
  private var tellers = 0
  private var servable = 0
  /// The jobs that wait or run; nil: not seen yet.
  private(set) var unfinished: Int?

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
    for time in turn.ran { sums.runs.add(time) }
    // Of a department that is seen for the first time, the jobs that were there before did not come in this turn.
    let atFirst = turn.unfinished - turn.accepted + turn.ran.count + turn.endedUnrun + turn.retried
    let before = unfinished ?? max(0, atFirst)
    countGrowth(from: before, to: turn.unfinished, left: turn.ran.count + turn.retried, at: now, &sums)
    add(sums, at: now)
    servable = turn.servable
    beginSaturation(at: now)
  }

  /// Sees how many jobs wait or run now: some may have begun to wait because their time has come.
  package mutating func see(unfinished now: Int, at time: Duration) {
    var sums = FlowSums()
    countGrowth(from: unfinished ?? now, to: now, left: 0, at: time, &sums)
    add(sums, at: time)
  }

  /// Sees how many tellers may take a job now; 0 while the department is closed.
  package mutating func see(tellers: Int, at now: Duration) {
    guard tellers != self.tellers || saturation != nil else { return }
    add(saturatedSums([], at: now), at: now)
    self.tellers = tellers
    beginSaturation(at: now)
  }

  /// More wait or run than before, although so many have left: others have come.
  private mutating func countGrowth(
    from before: Int, to after: Int, left: Int, at now: Duration, _ sums: inout FlowSums
  ) {
    unfinished = after
    sums.growth = after - before
    sums.most = max(before, after)
    sums.entered = max(0, after - before + left)
    if sums.entered > 0 { countArrivals(sums.entered, at: now, &sums) }
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
