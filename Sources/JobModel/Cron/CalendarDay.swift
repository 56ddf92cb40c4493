/// A day of the Gregorian calendar, by itself: no clock and no time zone. Counting days this way is so cheap that a rule
/// can look at every day of some years; a calendar of Foundation takes a hundred times as long for each.
package struct CalendarDay: Hashable, Sendable {
  /// Days since 1 January 1970, a Thursday; negative before.
  let number: Int
  let year: Int
  /// 1–12.
  let month: Int
  /// From 1.
  let dayOfMonth: Int

  init(_ number: Int) {
    self.number = number
    // A guess: 400 years have 146,097 days. Next to a new year it may be off by one.
    var year = 1970 + (number * 400).flooredQuotient(by: CalendarDay.cycle)
    while CalendarDay.first(of: year) > number { year -= 1 }
    while CalendarDay.first(of: year + 1) <= number { year += 1 }
    var rest = number - CalendarDay.first(of: year)
    var month = 1
    while rest >= CalendarDay.length(of: month, in: year) {
      rest -= CalendarDay.length(of: month, in: year)
      month += 1
    }
    (self.year, self.month, dayOfMonth) = (year, month, rest + 1)
  }

  /// The calendar, with its days of the week, begins anew after so many days: 400 years.
  static let cycle = 146_097

  /// 0–6, from Sunday.
  var weekday: Int { (number + 4).flooredRemainder(by: 7) }

  /// The number of the last day of its month.
  var lastOfMonth: Int { number - dayOfMonth + CalendarDay.length(of: month, in: year) }

  /// The number of 1 January.
  private static func first(of year: Int) -> Int {
    let before = year - 1
    let leapDays =
      before.flooredQuotient(by: 4) - before.flooredQuotient(by: 100) + before.flooredQuotient(by: 400)
    return (year - 1970) * 365 + leapDays - leapDaysBefore1970
  }

  private static let leapDaysBefore1970 = 1969 / 4 - 1969 / 100 + 1969 / 400

  /// The days from 1 January 1970 to a date that exists; negative before.
  package static func number(of dayOfMonth: Int, _ month: Int, _ year: Int) -> Int {
    (1..<month).reduce(first(of: year) + dayOfMonth - 1) { $0 + length(of: $1, in: year) }
  }

  /// How many days a month, 1–12, has.
  package static func length(of month: Int, in year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func isLeap(_ year: Int) -> Bool {
    year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
  }
}

extension Int {
  /// The quotient, rounded down also below zero.
  func flooredQuotient(by divisor: Int) -> Int {
    self % divisor < 0 ? self / divisor - 1 : self / divisor
  }

  /// What `flooredQuotient` leaves: never negative.
  func flooredRemainder(by divisor: Int) -> Int {
    self - flooredQuotient(by: divisor) * divisor
  }
}
