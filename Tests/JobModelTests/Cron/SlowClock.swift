import Foundation

@testable import JobModel

/// Some days of a zone's clock, minute by minute: the slow way to find out when something fires.
struct SlowClock {
  let zone: Zone
  /// Minutes since 1970; firings are told from `start` on, a day after the walk begins.
  let start: Int
  let end: Int
  /// What the clock shows in each minute from a day before `start`, as minutes since 1970.
  private let walls: [Int]
  private var days: [Int: DateComponents] = [:]

  static let dayLength = 1_440

  init(_ zone: Zone, around minute: Int) {
    self.zone = zone
    (start, end) = (minute - 2 * SlowClock.dayLength, minute + 2 * SlowClock.dayLength)
    walls = ((start - SlowClock.dayLength)...end).map { minute in
      minute + zone.offset(at: minute * 60) / 60
    }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let last = SlowClock.dayLength
    for day in ((walls.min() ?? 0) / last - 1)...((walls.max() ?? 0) / last + 1) {
      days[day] = calendar.dateComponents(
        [.month, .day, .weekday], from: Date(timeIntervalSince1970: Double(day) * 86_400))
    }
  }

  /// A minute around which that clock changes, or any.
  static func interestingMinute(of zone: Zone, using random: inout some RandomNumberGenerator) -> Int {
    // From 2008 to 2035.
    let any = Int.random(in: 1_199_145_600...2_082_758_400, using: &random) / 60
    if Int.random(in: 0..<4, using: &random) == 0 { return any }
    let offset = { (minute: Int) in zone.offset(at: minute * 60) }
    return stride(from: any, to: any + 366 * dayLength, by: 30).first { offset($0) != offset($0 + 30) } ?? any
  }

  /// Every firing from `start` to `end`, in minutes since 1970.
  func firings(of cron: RandomCron) -> [Int] {
    var firings: [Int] = []
    var highest = walls.first ?? 0
    for (place, wall) in walls.enumerated() {
      let fires: Bool
      if cron.isRhythm {
        fires = allows(cron, wall)
      } else {
        // Each wall time counts when the clock passes it for the first time, shown or skipped.
        fires = wall > highest && ((highest + 1)...wall).contains { allows(cron, $0) }
      }
      highest = max(highest, wall)
      let minute = start - SlowClock.dayLength + place
      if fires, minute >= start { firings.append(minute) }
    }
    return firings
  }

  private func allows(_ cron: RandomCron, _ wall: Int) -> Bool {
    guard let day = days[wall / SlowClock.dayLength], let month = day.month, let number = day.day,
      let weekday = day.weekday
    else { return false }
    return cron.allows(minuteOfDay: wall % SlowClock.dayLength)
      && cron.allows(month: month, dayOfMonth: number, weekday: weekday - 1)
  }
}
