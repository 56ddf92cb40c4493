package import Foundation

extension CronExpression {
  /// How far is looked, in days: five years.
  private static let horizon = 5 * 366
  /// The seconds since 1970 for which there are answers: to the end of the year 9999.
  private static let times = 0...253_402_300_799

  /// The first time after `time` at which it fires. Looks at each day of five years once at most.
  ///
  /// - Returns: Nil when it does not fire within five years: 30 February never does, and 29 February not around 2100.
  package func next(after time: Timestamp, in zone: TimeZone) -> Timestamp? {
    guard let time = CronExpression.seconds(time) else { return nil }
    let today = CronExpression.day(of: time, in: zone)
    var best: Int?
    // A day before, because the clock may be about to go back; a day more, because it may go back over midnight.
    for number in (today - 1)...(today + CronExpression.horizon) {
      let found = moments(on: CalendarDay(number), in: zone).first { $0 > time }
      if let best { return Timestamp(seconds: min(best, found ?? best)) }
      best = found
    }
    return best.map(Timestamp.init(seconds:))
  }

  /// The latest times at which it fired, oldest first: at most `limit` after `start`, through `end`, within five years.
  func latest(_ limit: Int, after start: Timestamp, through end: Timestamp, in zone: TimeZone) -> [Timestamp] {
    guard start < end, let last = CronExpression.seconds(end) else { return [] }
    let today = CronExpression.day(of: last, in: zone)
    let first = max(CronExpression.seconds(start) ?? 0, last - CronExpression.horizon * WallClock.dayLength)
    let firstDay = CronExpression.day(of: first, in: zone)
    var found: Set<Int> = []
    for number in ((firstDay - 1)...(today + 1)).reversed() {
      // Found on later days: one day more is looked at than seems needed, as the clock may have gone back over midnight.
      let isEnough = found.count >= limit
      found.formUnion(moments(on: CalendarDay(number), in: zone).filter { $0 > first && $0 <= last })
      if isEnough { break }
    }
    return found.sorted().suffix(limit).map(Timestamp.init(seconds:))
  }

  /// When it fires on a day, in rising order; of two days that follow each other, some moments may be in disorder.
  private func moments(on day: CalendarDay, in zone: TimeZone) -> [Int] {
    guard allows(day) else { return [] }
    let clock = WallClock(day, in: zone)
    let walls = minutesOfDay.map { day.number * WallClock.dayLength + $0 * 60 }
    return runsByRealTime ? clock.moments(at: walls) : walls.compactMap(clock.firstMoment)
  }

  /// The day that the clock shows.
  private static func day(of time: Int, in zone: TimeZone) -> Int {
    (time + zone.secondsFromGMT(at: time)).flooredQuotient(by: WallClock.dayLength)
  }

  /// Whole seconds, rounded down: it fires only at whole ones. Nil for a time that no clock of ours can show.
  private static func seconds(_ time: Timestamp) -> Int? {
    let seconds = Int(time.milliseconds).flooredQuotient(by: 1_000)
    return times.contains(seconds) ? seconds : nil
  }
}

extension Timestamp {
  fileprivate init(seconds: Int) { self.init(milliseconds: Int64(seconds) * 1_000) }
}
