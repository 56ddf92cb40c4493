extension CronExpression {
  /// The seconds since 1970 for which there are answers: to the end of the year 9999.
  private static let times = 0...253_402_300_799
  private static let lastDay = times.upperBound / WallClock.dayLength

  /// The first time after `time` at which it fires, however far away. Days on which it does not fire cost next to
  /// nothing, and no more than the 400 years are looked at after which the calendar begins anew.
  ///
  /// - Returns: Nil when it never fires, like 30 February, or not before the year 10000.
  package func next(after time: Timestamp, in zone: Zone) -> Timestamp? {
    guard let time = CronExpression.seconds(time) else { return nil }
    // A day before, because the clock may be about to go back.
    var number = CronExpression.day(of: time, in: zone) - 1
    let last = min(number + CalendarDay.cycle + 2, CronExpression.lastDay)
    while let day = firstDay(from: number, through: last) {
      number = day.number + 1
      guard let found = moments(on: day, in: zone).first(where: { $0 > time }) else { continue }
      // A day more, because the clock may go back over midnight.
      let later = moments(on: CalendarDay(number), in: zone).first { $0 > time }
      return CronExpression.timestamp(min(found, later ?? found))
    }
    return nil
  }

  /// The latest times at which it fired, oldest first: at most `limit` after `start`, through `end`.
  func latest(_ limit: Int, after start: Timestamp, through end: Timestamp, in zone: Zone) -> [Timestamp] {
    guard start < end, let last = CronExpression.seconds(end) else { return [] }
    let first = CronExpression.seconds(start) ?? 0
    let firstDay = CronExpression.day(of: first, in: zone) - 1
    var number = CronExpression.day(of: last, in: zone) + 1
    var found: Set<Int> = []
    while let day = lastDay(through: number, from: firstDay) {
      // One day more is looked at than seems needed, as the clock may have gone back over midnight.
      let isEnough = found.count >= limit
      found.formUnion(moments(on: day, in: zone).filter { $0 > first && $0 <= last })
      if isEnough { break }
      number = day.number - 1
    }
    return found.sorted().suffix(limit).compactMap(CronExpression.timestamp)
  }

  /// When it fires on a day, in rising order; of two days that follow each other, some moments may be in disorder.
  private func moments(on day: CalendarDay, in zone: Zone) -> [Int] {
    guard allows(day) else { return [] }
    let clock = WallClock(day, in: zone)
    let walls = minutesOfDay.map { day.number * WallClock.dayLength + $0 * 60 }
    return runsByRealTime ? clock.moments(at: walls) : walls.compactMap(clock.firstMoment)
  }

  /// The day that the clock shows.
  private static func day(of time: Int, in zone: Zone) -> Int {
    (time + zone.offset(at: time)).flooredQuotient(by: WallClock.dayLength)
  }

  /// Whole seconds, rounded down: it fires only at whole ones. Nil for a time that no clock of ours can show.
  private static func seconds(_ time: Timestamp) -> Int? {
    let seconds = Int(time.milliseconds).flooredQuotient(by: 1_000)
    return times.contains(seconds) ? seconds : nil
  }

  private static func timestamp(_ seconds: Int) -> Timestamp? {
    times.contains(seconds) ? Timestamp(milliseconds: Int64(seconds) * 1_000) : nil
  }
}
