import Foundation
import JobModel

/// A cron expression made at random, that knows what its text means without reading it.
struct RandomCron {
  struct Field {
    var text: String
    var values: Set<Int>
    var beginsWithStar: Bool { text.hasPrefix("*") }
  }

  var minutes: Field
  var hours: Field
  var daysOfMonth: Field
  var months: Field
  var daysOfWeek: Field

  private static let monthNames = ["Jan", "FEB", "mar", "APR", "May", "jun", "JUL", "AUG", "Sep", "OCT", "NOV", "dec"]
  private static let dayNames = ["SUN", "Mon", "tue", "WED", "THU", "Fri", "SAT"]

  init(using random: inout some RandomNumberGenerator) {
    minutes = RandomCron.field(0...59, stars: 3, using: &random)
    hours = RandomCron.field(0...23, stars: 4, using: &random)
    daysOfMonth = RandomCron.field(1...31, stars: 7, using: &random)
    months = RandomCron.field(1...12, stars: 8, names: RandomCron.monthNames, using: &random)
    daysOfWeek = RandomCron.field(0...6, stars: 7, names: RandomCron.dayNames, using: &random)
  }

  var text: String { [minutes, hours, daysOfMonth, months, daysOfWeek].map(\.text).joined(separator: " ") }

  func allows(month: Int, dayOfMonth: Int, weekday: Int) -> Bool {
    let (fitsMonth, fitsWeek) = (daysOfMonth.values.contains(dayOfMonth), daysOfWeek.values.contains(weekday))
    let isEither = !daysOfMonth.beginsWithStar && !daysOfWeek.beginsWithStar
    return months.values.contains(month) && (isEither ? fitsMonth || fitsWeek : fitsMonth && fitsWeek)
  }

  func allows(minuteOfDay: Int) -> Bool {
    hours.values.contains(minuteOfDay / 60) && minutes.values.contains(minuteOfDay % 60)
  }

  /// Whether every hour is allowed, in whatever way it is written.
  var isRhythm: Bool { hours.values.count == 24 }

  /// `*` in so many of ten cases, else a list of one to three items.
  private static func field(
    _ limits: ClosedRange<Int>, stars: Int, names: [String] = [], using random: inout some RandomNumberGenerator
  ) -> Field {
    if Int.random(in: 0..<10, using: &random) < stars { return Field(text: "*", values: Set(limits)) }
    let items = (0..<Int.random(in: 1...3, using: &random)).map { _ in item(limits, names, using: &random) }
    return Field(
      text: items.map(\.text).joined(separator: ","),
      values: items.reduce(into: []) { $0.formUnion($1.values) })
  }

  private static func item(
    _ limits: ClosedRange<Int>, _ names: [String], using random: inout some RandomNumberGenerator
  ) -> Field {
    let ends = [Int.random(in: limits, using: &random), Int.random(in: limits, using: &random)].sorted()
    let step = Int.random(in: 1...min(9, limits.upperBound), using: &random)
    let shown = ends.map { end in
      Bool.random(using: &random) && !names.isEmpty ? names[end - limits.lowerBound] : String(end)
    }
    return switch Int.random(in: 0..<4, using: &random) {
    case 0: Field(text: shown[0], values: [ends[0]])
    case 1: Field(text: "\(shown[0])-\(shown[1])", values: Set(ends[0]...ends[1]))
    case 2:
      Field(text: "\(shown[0])-\(shown[1])/\(step)", values: Set(stride(from: ends[0], through: ends[1], by: step)))
    default:
      Field(text: "*/\(step)", values: Set(stride(from: limits.lowerBound, through: limits.upperBound, by: step)))
    }
  }
}
