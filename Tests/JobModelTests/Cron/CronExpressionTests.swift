import Foundation
import TestSupport
import Testing

@testable import JobModel

@Suite("Cron expressions")
struct CronExpressionTests {
  /// What the fields mean, shown by when they fire after Thursday, 1 January 2026, 00:00 UTC.
  @Test(
    "a field is a value, a list, a range, a step or a name",
    arguments: [
      ("5 4 * * *", ["01-01 04:05", "01-02 04:05"]),
      ("*/25 * * * *", ["01-01 00:25", "01-01 00:50", "01-01 01:00"]),
      ("0 9-17/4 * * *", ["01-01 09:00", "01-01 13:00", "01-01 17:00", "01-02 09:00"]),
      ("7,50-52 0 * * *", ["01-01 00:07", "01-01 00:50", "01-01 00:51", "01-01 00:52", "01-02 00:07"]),
      ("0 0 1 feb,APR *", ["02-01 00:00", "04-01 00:00", "02-01 00:00"]),
      ("0 0 31 * *", ["01-31 00:00", "03-31 00:00", "05-31 00:00"]),
      ("0 0 * * 0", ["01-04 00:00", "01-11 00:00"]),
      ("0 0 * * 7", ["01-04 00:00", "01-11 00:00"]),
      ("0 0 * * Mon-Wed", ["01-05 00:00", "01-06 00:00", "01-07 00:00", "01-12 00:00"]),
      ("0 0 * * SAT-SUN", ["01-03 00:00", "01-04 00:00", "01-10 00:00"]),
      ("0 0 * * 5-7", ["01-02 00:00", "01-03 00:00", "01-04 00:00", "01-09 00:00"]),
      ("  0\t0   2 1  * ", ["01-02 00:00", "01-02 00:00"]),
      ("@hourly", ["01-01 01:00", "01-01 02:00"]),
      ("@daily", ["01-02 00:00", "01-03 00:00"]),
      ("@weekly", ["01-04 00:00", "01-11 00:00"]),
      ("@Monthly", ["02-01 00:00", "03-01 00:00"]),
      ("@yearly", ["01-01 00:00", "01-01 00:00"]),
    ])
  func fields(text: String, expected: [String]) throws {
    let fires = try CronExpression(text).fires(expected.count, after: "2026-01-01T00:00:00Z", in: .utc)
    #expect(fires == expected.map { "\($0) +0:00" })
  }

  @Test(
    "either day field will do when both are restricted, and both are needed when one begins with a star",
    arguments: [
      ("0 0 13 * FRI", ["01-02", "01-09", "01-13", "01-16"]),
      ("0 0 */2 * FRI", ["01-09", "01-23", "02-13"]),
      ("0 0 13 * *", ["01-13", "02-13"]),
      ("0 0 * * FRI", ["01-02", "01-09"]),
    ])
  func dayFields(text: String, expected: [String]) throws {
    let fires = try CronExpression(text).fires(expected.count, after: "2026-01-01T00:00:00Z", in: .utc)
    #expect(fires == expected.map { "\($0) 00:00 +0:00" })
  }

  static let mistakes: [(text: String, field: CronField?, word: String)] = [
    ("", nil, "0 fields instead of five"), ("* * * *", nil, "4 fields"), ("0 * * * * *", nil, "6 fields"),
    ("60 * * * *", .minute, "60 is not between 0 and 59"), ("x * * * *", .minute, "\"x\" is no number"),
    ("-1 * * * *", .minute, "\"\" is no number"), ("+1 * * * *", .minute, "\"+1\" is no number"),
    ("1,,2 * * * *", .minute, "an empty place"), ("* 24 * * *", .hour, "24 is not between 0 and 23"),
    ("* 22-2 * * *", .hour, "runs backwards"), ("* */0 * * *", .hour, "the step \"0\" is not between 1 and 23"),
    ("* */99 * * *", .hour, "the step \"99\""), ("* */ * * *", .hour, "the step \"\""),
    ("* 1/2/3 * * *", .hour, "more than one step"), ("* 5/2 * * *", .hour, "write 5-23/2"),
    ("* 1-2-3 * * *", .hour, "no range"), ("* * 0 * *", .dayOfMonth, "0 is not between 1 and 31"),
    ("* * L * *", .dayOfMonth, "\"L\" is no number"), ("* * ? * *", .dayOfMonth, "\"?\" is no number"),
    ("* * * 13 *", .month, "13 is not between 1 and 12"), ("* * * MAI *", .month, "nor a name like JAN"),
    ("* * * * 8", .dayOfWeek, "8 is not between 0 and 7"), ("* * * * MON#2", .dayOfWeek, "\"MON#2\" is neither"),
    ("* * * * **", .dayOfWeek, "\"**\" is neither"), ("99999999999999999999 * * * *", .minute, "is no number"),
    ("@noon", nil, "known are @annually, @daily"), ("@reboot", nil, "\"@reboot\" is not known"),
    (String(repeating: "*", count: 1_001), nil, "longer than 1000 bytes"),
  ]

  @Test("a mistake is told with its field", arguments: mistakes)
  func mistake(text: String, field: CronField?, word: String) throws {
    let thrown = #expect(throws: CronExpressionError.self) { try CronExpression(text) }
    let error = try #require(thrown)
    #expect(error.field == field, "\(error)")
    #expect(error.description.contains(word), "\(error)")
    #expect(error.description.hasPrefix(field.map { "\($0.rawValue): " } ?? ""))
  }

  @Test("no text that is taken or refused stops the program")
  func anyText() {
    var random = SeededRandom(for: "texts that may be cron expressions")
    var taken = 0
    for _ in 0..<20_000 {
      let text = String(
        (0..<Int.random(in: 0...14, using: &random)).map { _ in
          "0123579*/-, @aMONü".randomElement(using: &random) ?? " "
        })
      let five = Bool.random(using: &random) ? text : "\(text) * * * *"
      if let expression = try? CronExpression(five) {
        taken += 1
        #expect(expression.description == five)
      }
    }
    #expect(taken > 100)
  }

  @Test("a day that is in no year never comes", arguments: ["0 0 30 2 *", "0 0 31 4,6,9,11 *", "0 0 30-31 FEB */2"])
  func never(text: String) throws {
    let expression = try CronExpression(text)
    #expect(expression.neverFires)
    #expect(expression.next(after: try Timestamp("2026-01-01T00:00:00Z"), in: .utc) == nil)
  }

  static let rareDays: [(text: String, after: String, next: String)] = [
    ("0 0 29 2 *", "2024-02-29T00:00:00Z", "2028-02-29T00:00:00Z"),
    // 2100 is no leap year.
    ("0 0 29 2 *", "2096-02-29T00:00:00Z", "2104-02-29T00:00:00Z"),
    // 29 February on a Sunday, and before and behind 2100.
    ("30 6 29 2 */7", "2026-01-01T00:00:00Z", "2032-02-29T06:30:00Z"),
    ("30 6 29 2 */7", "2032-02-29T06:30:00Z", "2060-02-29T06:30:00Z"),
    ("30 6 29 2 */7", "2088-02-29T06:30:00Z", "2128-02-29T06:30:00Z"),
    // The last of a month that is a Sunday, and the 31st of a month that is one.
    ("0 0 31 12 */7", "2028-12-31T00:00:00Z", "2034-12-31T00:00:00Z"),
    ("59 23 31 12 *", "9999-12-31T23:58:59Z", "9999-12-31T23:59:00Z"),
  ]

  @Test("a rare day is found, however far away it is", arguments: rareDays)
  func rare(text: String, after: String, next: String) throws {
    let expression = try CronExpression(text)
    #expect(!expression.neverFires)
    #expect(try expression.next(after: Timestamp(after), in: .utc) == Timestamp(next))
    let (start, end) = (try Timestamp("1970-01-01T00:00:00Z"), try Timestamp(next))
    #expect(expression.latest(1, after: start, through: end, in: .utc) == [end])
  }

  @Test("a rare day has the time of its zone, where it may be in a gap of the clock")
  func rareInZones() throws {
    // 29 March on a Sunday, on which the clock goes forward: not in every year.
    let gap = try CronExpression("30 2 29 3 */7")
    let fires = try gap.fires(3, after: "2026-01-01T00:00:00Z", in: Zone("Europe/Berlin"))
    #expect(fires == ["03-29 03:00 +2:00", "03-29 03:00 +2:00", "03-29 03:00 +2:00"])
    let leapDay = try CronExpression("0 0 29 2 */7")
    #expect(try leapDay.fires(1, after: "2026-01-01T00:00:00Z", in: Zone("Asia/Kathmandu")) == ["02-29 00:00 +5:45"])
  }

  @Test("nothing is behind the year 9999", arguments: ["* * * * *", "0 0 29 2 *", "0 0 1 1 *"])
  func lastYear(text: String) throws {
    let expression = try CronExpression(text)
    #expect(expression.next(after: try Timestamp("9999-12-31T23:59:00Z"), in: .utc) == nil)
    for name in ["Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Berlin"] {
      let zone = try Zone(name)
      for hour in ["2026-01-01T00", "9999-12-31T00", "9999-12-31T10", "9999-12-31T23"] {
        let next = expression.next(after: try Timestamp("\(hour):00:00Z"), in: zone)
        #expect(try next.map { try $0 <= Timestamp("9999-12-31T23:59:59Z") } ?? true)
      }
    }
  }

  /// What people have reported of other cron libraries, as it is here.
  static let reports: [(text: String, expected: [String])] = [
    // "The first Monday": both day fields are restricted, so either will do.
    ("0 0 1-7 * MON", ["01-02", "01-03", "01-04", "01-05", "01-06", "01-07", "01-12", "01-19"].map { "\($0) 00:00" }),
    // A step begins anew in each hour, each month and each year.
    ("*/7 * * * *", ["01-01 00:07", "01-01 00:14"]), ("56-59/7,0 0 * * *", ["01-01 00:56", "01-02 00:00"]),
    ("0 0 */30 * *", ["01-31 00:00", "02-01 00:00", "03-01 00:00", "03-31 00:00"]),
    ("0 0 31 */2 *", ["01-31 00:00", "03-31 00:00", "05-31 00:00", "07-31 00:00", "01-31 00:00"]),
    // Sunday has two numbers, and is one day.
    ("0 0 * * 0,7", ["01-04 00:00", "01-11 00:00"]), ("0 0 * * 6-7", ["01-03 00:00", "01-04 00:00", "01-10 00:00"]),
    // The last day of a month is none of the language: the days that may be it are.
    ("0 0 28-31 2 *", ["02-28 00:00", "02-28 00:00", "02-28 00:00", "02-29 00:00"]),
    ("0 0 30 * *", ["01-30 00:00", "03-30 00:00"]), ("59 23 31 12 *", ["12-31 23:59", "12-31 23:59"]),
    ("@midnight", ["01-02 00:00", "01-03 00:00"]), ("@annually", ["01-01 00:00", "01-01 00:00"]),
  ]

  /// The same at a moment that was reported: of cron-parser (a leap day or a Sunday), of cron-utils (a weekday that is a leap
  /// day), of cert-manager (the leap day behind 2100), of cronie (UTC in the night in which other clocks go back).
  static let reportedMoments: [(text: String, after: String, next: String)] = [
    ("0 2 29 2 0", "2018-05-14T00:00:00Z", "2019-02-03T02:00:00Z"),
    ("0 2 29 2 0", "2020-02-23T02:00:00Z", "2020-02-29T02:00:00Z"),
    ("0 * * * 1-5", "2016-02-29T11:00:00Z", "2016-02-29T12:00:00Z"),
    ("0 0 29 2 *", "2096-03-01T00:00:00Z", "2104-02-29T00:00:00Z"),
    ("30 1 * * *", "2022-10-30T00:30:00Z", "2022-10-30T01:30:00Z"),
    ("0 9 29 2 *", "2016-02-29T09:00:00Z", "2020-02-29T09:00:00Z"),
  ]

  @Test("it is so at the moments that were reported", arguments: reportedMoments)
  func reportedMoment(text: String, after: String, next: String) throws {
    #expect(try CronExpression(text).next(after: Timestamp(after), in: .utc) == Timestamp(next))
  }

  @Test("what other libraries were reported for is right", arguments: reports)
  func reported(text: String, expected: [String]) throws {
    let fires = try CronExpression(text).fires(expected.count, after: "2026-01-01T00:00:00Z", in: .utc)
    #expect(fires == expected.map { "\($0) +0:00" })
  }

  @Test("times that no clock of ours can show have no next", arguments: [Int64.min, -1, 253_402_300_800_000, .max])
  func extremes(milliseconds: Int64) throws {
    let time = Timestamp(milliseconds: milliseconds)
    #expect(try CronExpression("* * * * *").next(after: time, in: .utc) == nil)
  }

  @Test("it fires after the time that is asked with, never at it")
  func after() throws {
    let expression = try CronExpression("30 12 * * *")
    let noon = try Timestamp("2026-05-05T12:30:00Z")
    let justBefore = Timestamp(milliseconds: noon.milliseconds - 1)
    #expect(expression.next(after: justBefore, in: .utc) == noon)
    #expect(try expression.next(after: noon, in: .utc) == Timestamp("2026-05-06T12:30:00Z"))
  }
}

@Suite("Days of the calendar")
struct CalendarDayTests {
  @Test("every day from 1600 to 2400 is the day that Foundation's calendar has")
  func days() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    var random = SeededRandom(for: "days of the calendar")
    for _ in 0..<20_000 {
      let number = Int.random(in: -135_000...157_000, using: &random)
      let day = CalendarDay(number)
      let date = Date(timeIntervalSince1970: Double(number) * 86_400)
      let expected = calendar.dateComponents([.year, .month, .day, .weekday], from: date)
      let found = DateComponents(
        year: day.year, month: day.month, day: day.dayOfMonth, weekday: day.weekday + 1)
      #expect(found == expected, "day \(number)")
    }
  }
}
