/// When something is to happen again and again, as cron writes it: minute, hour, day of month, month, day of week.
///
/// A field is `*`, a value, a range `1-5`, a step through a range `*/15` or `10-40/10`, or several of these with commas.
/// Months and days of the week have names, JAN–DEC and SUN–SAT; Sunday is 0 and 7. When both day fields are restricted,
/// that is: neither begins with `*`, a day that fits either of them will do. `@hourly`, `@daily` (or `@midnight`),
/// `@weekly`, `@monthly` and `@yearly` (or `@annually`) stand for the usual ones.
///
/// Where the clocks change:
/// - An expression that names hours means times of a day, each of which comes once. One that does not exist on the day
///   the clock goes forward fires at the first moment after the gap (several of them together once). One that exists
///   twice fires the first time only.
/// - An expression that allows every hour means a rhythm. It fires at every moment whose wall time fits: nothing is made
///   up for a gap, and the hour that comes twice has its firings twice.
package struct CronExpression: Hashable, Sendable, CustomStringConvertible {
  /// The expression as it was written. Two that are written differently are not equal.
  package let description: String
  /// Minutes of a day, in rising order.
  let minutesOfDay: [Int]
  private let daysOfMonth: CronValues
  private let months: CronValues
  private let daysOfWeek: CronValues
  /// Whether every hour is allowed: a rhythm, not times of a day.
  let runsByRealTime: Bool

  /// An expression from its text.
  /// - Throws: what is wrong, and in which field.
  package init(_ text: String) throws(CronExpressionError) {
    if text.utf8.count > CronExpression.longestText {
      throw CronExpressionError(field: nil, problem: "it is longer than \(CronExpression.longestText) bytes")
    }
    let fields = try CronExpression.fields(of: text)
    let hours = try CronValues(fields[1], of: .hour)
    let minutes = try CronValues(fields[0], of: .minute)
    description = text
    minutesOfDay = hours.sorted.flatMap { hour in minutes.sorted.map { hour * 60 + $0 } }
    runsByRealTime = hours.count == CronField.hour.limits.count
    daysOfMonth = try CronValues(fields[2], of: .dayOfMonth)
    months = try CronValues(fields[3], of: .month)
    daysOfWeek = try CronValues(fields[4], of: .dayOfWeek)
  }

  /// The longest expression that is read, in bytes.
  package static let longestText = 1_000

  /// What the names with `@` stand for.
  private static let nicknames = [
    "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
  ]

  private static func fields(of text: String) throws(CronExpressionError) -> [Substring] {
    let words = text.split { $0 == " " || $0 == "\t" }
    if words.count == 1, words[0].hasPrefix("@") {
      guard let expression = nicknames[words[0].lowercased()] else {
        let known = nicknames.keys.sorted().joined(separator: ", ")
        throw CronExpressionError(field: nil, problem: "\"\(words[0])\" is not known; known are \(known)")
      }
      return expression.split(separator: " ")
    }
    guard words.count == CronField.allCases.count else {
      let fields = CronField.allCases.map(\.rawValue).joined(separator: ", ")
      throw CronExpressionError(
        field: nil, problem: "\"\(text)\" has \(words.count) fields instead of five: \(fields)")
    }
    return words
  }

  /// Whether it fires on that day.
  func allows(_ day: CalendarDay) -> Bool {
    guard months.contains(day.month) else { return false }
    let (fitsMonth, fitsWeek) = (daysOfMonth.contains(day.dayOfMonth), daysOfWeek.contains(day.weekday))
    if daysOfMonth.beginsWithStar || daysOfWeek.beginsWithStar { return fitsMonth && fitsWeek }
    return fitsMonth || fitsWeek
  }

  /// The first day from `number` through `last` on which it fires. Months that it leaves out are passed over whole.
  func firstDay(from number: Int, through last: Int) -> CalendarDay? {
    var number = number
    while number <= last {
      let day = CalendarDay(number)
      if allows(day) { return day }
      number = months.contains(day.month) ? number + 1 : day.lastOfMonth + 1
    }
    return nil
  }

  /// The last day from `first` through `number` on which it fires.
  func lastDay(through number: Int, from first: Int) -> CalendarDay? {
    var number = number
    while number >= first {
      let day = CalendarDay(number)
      if allows(day) { return day }
      number = months.contains(day.month) ? number - 1 : day.number - day.dayOfMonth
    }
    return nil
  }

  /// Whether there is no such day in any year, like 30 February: a mistake of whoever wrote it.
  package var neverFires: Bool { firstDay(from: 0, through: CalendarDay.cycle - 1) == nil }
}
