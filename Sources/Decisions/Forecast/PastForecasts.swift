package import JobModel

/// The forecasts of a department that have not come to their time, and how wrong the last others were. A pure value of
/// bounded size.
package struct PastForecasts: Hashable, Sendable {
  /// A forecast that is to be held against what happens.
  private struct Open: Hashable {
    var made: Duration
    var expected: Duration
    /// How many jobs have to end before its time is known.
    var jobs: Int
  }

  /// How many forecasts may be open at once, and how many errors are remembered.
  package static let openLimit = 8
  package static let errorLimit = 32
  /// How long it takes from one forecast to the next, and how far each has to look ahead: nothing is learnt from shorter
  /// ones.
  package static let interval: Duration = .seconds(10)
  package static let shortest: Duration = .seconds(1)

  private var open: [Open] = []
  /// The difference by the longer one of both times, the last at the end: from 0 to 1.
  private var wrong: [Double] = []
  private var lastMade: Duration?

  package init() {}

  /// How many times its length an open forecast waits for its jobs: then it is as wrong as that, and no longer open.
  package static let overdue = 10

  /// Remembers a forecast: so many jobs will have ended after that time.
  package mutating func make(_ expected: Duration, jobs: Int, at now: Duration) {
    closeOverdue(at: now)
    guard expected >= PastForecasts.shortest, open.count < PastForecasts.openLimit, jobs > 0 else { return }
    if let lastMade, now - lastMade < PastForecasts.interval { return }
    lastMade = now
    open.append(Open(made: now, expected: expected, jobs: jobs))
  }

  /// So many jobs have run and ended.
  package mutating func ended(_ jobs: Int, at now: Duration) {
    guard jobs > 0, !open.isEmpty else { return }
    for index in open.indices { open[index].jobs -= jobs }
    for forecast in open where forecast.jobs <= 0 { note(forecast, at: now) }
    open.removeAll { $0.jobs <= 0 }
  }

  /// Somebody has changed what the open forecasts took for granted: nothing is learnt from them.
  package mutating func forgetOpen() { open.removeAll() }

  /// Jobs that never end would keep their forecasts open for ever, and nobody would hear how wrong they were.
  private mutating func closeOverdue(at now: Duration) {
    let isOverdue = { (forecast: Open) in now - forecast.made >= forecast.expected * PastForecasts.overdue }
    for forecast in open where isOverdue(forecast) { note(forecast, at: now) }
    open.removeAll(where: isOverdue)
  }

  private mutating func note(_ forecast: Open, at now: Duration) {
    let took = (now - forecast.made).inSeconds
    guard took > 0 else { return }
    wrong.append(abs(forecast.expected.inSeconds - took) / max(forecast.expected.inSeconds, took))
    if wrong.count > PastForecasts.errorLimit { wrong.removeFirst() }
  }

  /// Nil: no forecast has come to its time.
  package var errors: ForecastErrors? {
    guard let worst = wrong.max() else { return nil }
    return ForecastErrors(
      count: wrong.count, medianPermille: permille(wrong.sorted()[wrong.count / 2]), worstPermille: permille(worst))
  }

  private func permille(_ part: Double) -> Int { Int((part * 1_000).rounded()) }
}
