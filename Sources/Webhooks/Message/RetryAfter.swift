import Foundation

/// How long a receiver wants to be left alone: its header `Retry-After`.
enum RetryAfter {
  /// A longer time counts as this one.
  static let longest: Duration = .seconds(86_400)

  /// Reads a number of seconds, or a date of HTTP in any of its three forms. Nil for any other text. A date that has passed
  /// is no time at all.
  static func wait(_ text: String, at now: Date) -> Duration? {
    let text = text.trimmingCharacters(in: .whitespaces)
    if !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) {
      // A number that is too large for any integer is a long time, too.
      return Int64(text).map { min(.seconds($0), longest) } ?? longest
    }
    guard let date = seconds(of: text) else { return nil }
    let wait = Double(date) - now.timeIntervalSince1970
    return min(max(.zero, .seconds(min(wait.rounded(.up), 1e9))), longest)
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or
  /// `Sun Nov  6 08:49:37 1994`. By hand: formatters know the user's language and calendar.
  private static func seconds(of text: String) -> Int64? {
    let words = text.split { " ,-:".contains($0) }.map(String.init)
    let isUnix = words.count == 7
    guard isUnix || words.count == 8 && words[7] == "GMT" else { return nil }
    let order = isUnix ? [2, 1, 6, 3, 4, 5] : [1, 2, 3, 4, 5, 6]
    guard let day = number(words[order[0]], 1...31), let month = months.firstIndex(of: words[order[1]]),
      let year = number(words[order[2]], 0...9_999), let hour = number(words[order[3]], 0...23),
      let minute = number(words[order[4]], 0...59), let second = number(words[order[5]], 0...60)
    else { return nil }
    let days = daysSince1970(year: words[order[2]].count == 2 ? century(of: year) : year, month: month + 1, day: day)
    return Int64(((days * 24 + hour) * 60 + minute) * 60 + second)
  }

  private static func number(_ text: String, _ range: ClosedRange<Int>) -> Int? {
    guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text) else { return nil }
    return range.contains(number) ? number : nil
  }

  private static func century(of year: Int) -> Int { year < 70 ? 2_000 + year : 1_900 + year }

  /// By the Gregorian calendar. A year begins in March here: so the day of a leap year is its last.
  private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let (era, yearOfEra) = (year / 400, year % 400)
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
