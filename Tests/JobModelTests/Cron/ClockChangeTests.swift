import Foundation
import Testing

@testable import JobModel

/// What happens to a time that a clock skips or shows twice. Times are shown as the zone's clocks have them, with their
/// offset from UTC.
@Suite("Cron expressions where the clock changes")
struct ClockChangeTests {
  struct Case: CustomTestStringConvertible {
    var zone: String
    var expression: String
    var start: String
    var fires: [String]
    var testDescription: String { "\(expression) in \(zone) from \(start)" }
  }

  private func check(_ example: Case) throws {
    let zone = try zone(example.zone)
    let expression = try CronExpression(example.expression)
    #expect(try expression.fires(example.fires.count, after: example.start, in: zone) == example.fires)
  }

  // The gaps: Berlin 02:00–03:00 on 29 March 2026, New York 02:00–03:00 on 8 March, Lord Howe 02:00–02:30 on 4 October,
  // São Paulo 00:00–01:00 on 4 November 2018, and in Samoa the whole of 30 December 2011.
  static let gaps = [
    Case(
      zone: "Europe/Berlin", expression: "30 2 * * *", start: "2026-03-28T12:00:00+01:00",
      fires: ["03-29 03:00 +2:00", "03-30 02:30 +2:00"]),
    Case(
      zone: "Europe/Berlin", expression: "0 2 * * *", start: "2026-03-28T12:00:00+01:00",
      fires: ["03-29 03:00 +2:00", "03-30 02:00 +2:00"]),
    Case(
      zone: "Europe/Berlin", expression: "0 3 * * *", start: "2026-03-28T12:00:00+01:00",
      fires: ["03-29 03:00 +2:00", "03-30 03:00 +2:00"]),
    Case(
      zone: "Europe/Berlin", expression: "*/20 1-3 * * *", start: "2026-03-29T01:20:00+01:00",
      fires: ["03-29 01:40 +1:00", "03-29 03:00 +2:00", "03-29 03:20 +2:00", "03-29 03:40 +2:00", "03-30 01:00 +2:00"]),
    Case(
      zone: "Europe/Berlin", expression: "30 2 29 3 *", start: "2026-03-01T00:00:00+01:00",
      fires: ["03-29 03:00 +2:00", "03-29 02:30 +2:00"]),
    Case(
      zone: "America/New_York", expression: "15,45 2 * * *", start: "2026-03-08T00:00:00-05:00",
      fires: ["03-08 03:00 -4:00", "03-09 02:15 -4:00", "03-09 02:45 -4:00"]),
    Case(
      zone: "Australia/Lord_Howe", expression: "15 2 * * *", start: "2026-10-04T00:00:00+10:30",
      fires: ["10-04 02:30 +11:00", "10-05 02:15 +11:00"]),
    Case(
      zone: "Australia/Lord_Howe", expression: "45 2 * * *", start: "2026-10-04T00:00:00+10:30",
      fires: ["10-04 02:45 +11:00"]),
    Case(
      zone: "America/Sao_Paulo", expression: "0 0 * * *", start: "2018-11-03T12:00:00-03:00",
      fires: ["11-04 01:00 -2:00", "11-05 00:00 -2:00"]),
    Case(
      zone: "Pacific/Apia", expression: "0 3 * * *", start: "2011-12-29T12:00:00-10:00",
      fires: ["12-31 00:00 +14:00", "12-31 03:00 +14:00"]),
  ]

  @Test("a time that does not exist fires once, at the first moment after the gap", arguments: gaps)
  func gap(example: Case) throws { try check(example) }

  // Twice: Berlin 02:00–03:00 on 25 October 2026, New York 01:00–02:00 on 1 November, Lord Howe 01:30–02:00 on 5 April,
  // and in St. John's 23:01–00:01 in the night to 7 November 2010.
  static let repeats = [
    Case(
      zone: "Europe/Berlin", expression: "30 2 * * *", start: "2026-10-24T12:00:00+02:00",
      fires: ["10-25 02:30 +2:00", "10-26 02:30 +1:00"]),
    Case(
      zone: "Europe/Berlin", expression: "30 2 * * *", start: "2026-10-25T02:10:00+01:00",
      fires: ["10-26 02:30 +1:00"]),
    Case(
      zone: "Europe/Berlin", expression: "*/30 2-3 * * *", start: "2026-10-25T02:00:00+02:00",
      fires: ["10-25 02:30 +2:00", "10-25 03:00 +1:00", "10-25 03:30 +1:00", "10-26 02:00 +1:00"]),
    Case(
      zone: "America/New_York", expression: "0 1 * * *", start: "2026-11-01T00:00:00-04:00",
      fires: ["11-01 01:00 -4:00", "11-02 01:00 -5:00"]),
    Case(
      zone: "Australia/Lord_Howe", expression: "45 1 * * *", start: "2026-04-05T00:00:00+11:00",
      fires: ["04-05 01:45 +11:00", "04-06 01:45 +10:30"]),
    Case(
      zone: "America/St_Johns", expression: "0 0,23 * * *", start: "2010-11-06T12:00:00-02:30",
      fires: ["11-06 23:00 -2:30", "11-07 00:00 -2:30", "11-07 23:00 -3:30"]),
  ]

  @Test("a time that exists twice fires the first time only", arguments: repeats)
  func twice(example: Case) throws { try check(example) }

  static let rhythms = [
    Case(
      zone: "Europe/Berlin", expression: "0 * * * *", start: "2026-03-29T00:30:00+01:00",
      fires: ["03-29 01:00 +1:00", "03-29 03:00 +2:00", "03-29 04:00 +2:00"]),
    Case(
      zone: "Europe/Berlin", expression: "30 * * * *", start: "2026-03-29T00:30:00+01:00",
      fires: ["03-29 01:30 +1:00", "03-29 03:30 +2:00"]),
    Case(
      zone: "Europe/Berlin", expression: "30 * * * *", start: "2026-10-25T01:00:00+02:00",
      fires: ["10-25 01:30 +2:00", "10-25 02:30 +2:00", "10-25 02:30 +1:00", "10-25 03:30 +1:00"]),
    Case(
      zone: "America/New_York", expression: "@hourly", start: "2026-11-01T00:00:00-04:00",
      fires: ["11-01 01:00 -4:00", "11-01 01:00 -5:00", "11-01 02:00 -5:00"]),
    Case(
      zone: "Australia/Lord_Howe", expression: "*/15 * * * *", start: "2026-04-05T01:40:00+11:00",
      fires: ["04-05 01:45 +11:00", "04-05 01:30 +10:30", "04-05 01:45 +10:30", "04-05 02:00 +10:30"]),
    Case(
      zone: "Australia/Lord_Howe", expression: "0 * * * *", start: "2026-10-04T01:00:00+10:30",
      fires: ["10-04 03:00 +11:00", "10-04 04:00 +11:00"]),
    Case(
      zone: "America/St_Johns", expression: "0 * 7 11 *", start: "2010-11-06T12:00:00-02:30",
      fires: ["11-07 00:00 -2:30", "11-07 00:00 -3:30", "11-07 01:00 -3:30"]),
  ]

  @Test("an expression that allows every hour fires at every moment that fits", arguments: rhythms)
  func rhythm(example: Case) throws { try check(example) }

  @Test("where the clock goes back over midnight, the moments of both days stay in order")
  func overMidnight() throws {
    let zone = try zone("America/St_Johns")
    let everyHour = try CronExpression("30 * 6 11 *")
    // A clock that shows the 7th already will show the 6th again.
    let fires = try everyHour.fires(2, after: "2010-11-07T00:00:30-02:30", in: zone)
    #expect(fires == ["11-06 23:30 -3:30", "11-06 00:30 -2:30"])
    let bothDays = try CronExpression("0,30 * 6,7 11 *")
    let (start, end) = (try Timestamp("2010-11-06T12:00:00-02:30"), try Timestamp("2010-11-06T23:45:00-03:30"))
    let latest = (1...3).map { bothDays.latest($0, after: start, through: end, in: zone).map { $0.shown(in: zone) } }
    let expected = ["11-06 23:30 -2:30", "11-07 00:00 -2:30", "11-06 23:30 -3:30"]
    #expect(latest == (1...3).map { Array(expected.suffix($0)) })
  }
}
