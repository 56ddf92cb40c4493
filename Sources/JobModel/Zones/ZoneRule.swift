/// How the clocks of a zone change in all years behind the last change that its file lists, as POSIX writes it:
/// `CET-1CEST,M3.5.0,M10.5.0/3`. Offsets are seconds that a clock is ahead of UTC.
struct ZoneRule: Hashable, Sendable {
  private let standard: Int
  private let summer: Summer?

  /// The part of the year with another offset. It may be the winter: the offset may also be smaller.
  private struct Summer: Hashable {
    var offset: Int
    var start: Change
    var end: Change
  }

  /// A day of each year, and the seconds of it at which the clocks change, as they show it before that.
  fileprivate struct Change: Hashable {
    enum Day: Hashable {
      /// The last such day of the week for 5.
      case week(Int, month: Int, weekday: Int)
      /// From 0; 29 February counts.
      case ofYear(Int)
      /// From 1; 29 February has no number.
      case ofCommonYear(Int)
    }

    var day: Day
    var seconds: Int
  }

  /// - Returns: Nil for a text that is no such rule.
  init?(_ text: some Sequence<UInt8>) {
    var reader = ZoneRuleReader(text)
    guard reader.takeName(), let offset = reader.offset(), abs(offset) <= WallClock.largestOffset else { return nil }
    standard = -offset
    guard !reader.isAtEnd else {
      summer = nil
      return
    }
    guard reader.takeName() else { return nil }
    let other = reader.isAt(",") || reader.isAtEnd ? standard + 3_600 : reader.offset().map { -$0 }
    // Who names no days means those of the United States.
    if reader.isAtEnd { reader = ZoneRuleReader(",M3.2.0,M11.1.0".utf8) }
    guard let other, abs(other) <= WallClock.largestOffset, let start = Change(&reader), let end = Change(&reader),
      reader.isAtEnd
    else { return nil }
    summer = Summer(offset: other, start: start, end: end)
  }

  /// How far the clocks are ahead of UTC at a number of seconds since 1970.
  func offset(at time: Int) -> Int {
    guard let summer else { return standard }
    let year = CalendarDay((time + standard).flooredQuotient(by: WallClock.dayLength)).year
    var last: (time: Int, isSummer: Bool)?
    for year in year - 1...year + 1 {
      let ends = [
        (time: summer.end.wallTime(in: year) - summer.offset, isSummer: false),
        (time: summer.start.wallTime(in: year) - standard, isSummer: true),
      ]
      // Of two changes at one moment the beginning counts: so a summer is written that lasts all the year.
      for end in ends where end.time <= time && end.time >= last?.time ?? .min {
        if end.time > last?.time ?? .min || end.isSummer { last = end }
      }
    }
    return last?.isSummer == true ? summer.offset : standard
  }
}

extension ZoneRule.Change {
  /// Reads `,M3.5.0/2`, `,J60` or `,59/1:30`.
  fileprivate init?(_ reader: inout ZoneRuleReader) {
    guard reader.take(","), let day = reader.day() else { return nil }
    self.day = day
    guard reader.take("/") else {
      seconds = 7_200
      return
    }
    guard let seconds = reader.offset() else { return nil }
    self.seconds = seconds
  }

  /// What the clock shows in that year when it changes, as seconds since 1970.
  fileprivate func wallTime(in year: Int) -> Int { number(in: year) * WallClock.dayLength + seconds }

  private func number(in year: Int) -> Int {
    let newYear = CalendarDay.number(of: 1, 1, year)
    switch day {
    case .ofYear(let day): return newYear + day
    case .ofCommonYear(let day):
      return newYear + day - 1 + (day >= 60 && CalendarDay.length(of: 2, in: year) == 29 ? 1 : 0)
    case .week(let week, let month, let weekday):
      let first = CalendarDay.number(of: 1, month, year)
      let day = (weekday - CalendarDay(first).weekday).flooredRemainder(by: 7) + (week - 1) * 7
      return first + (day < CalendarDay.length(of: month, in: year) ? day : day - 7)
    }
  }
}

/// Reads the text of a rule from left to right.
private struct ZoneRuleReader {
  private var rest: ArraySlice<UInt8>

  init(_ text: some Sequence<UInt8>) { rest = Array(text)[...] }

  var isAtEnd: Bool { rest.isEmpty }
  func isAt(_ character: Unicode.Scalar) -> Bool { rest.first == UInt8(ascii: character) }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard isAt(character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  /// Takes an abbreviation, such as `CET` or `<+0330>`.
  mutating func takeName() -> Bool {
    if take("<") {
      rest = rest.drop { $0 != UInt8(ascii: ">") }
      return take(">")
    }
    let letters = rest.prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) }
    rest = rest.dropFirst(letters.count)
    return letters.count >= 3
  }

  /// Seconds, as in `-3:30`. Those of a change reach beyond its day, by a week at most.
  mutating func offset() -> Int? {
    let sign = take("-") ? -1 : 1
    if sign == 1 { _ = take("+") }
    guard let hours = number(through: 167) else { return nil }
    var seconds = hours * 3_600
    for unit in [60, 1] where take(":") {
      guard let number = number(through: 59) else { return nil }
      seconds += number * unit
    }
    return sign * seconds
  }

  mutating func day() -> ZoneRule.Change.Day? {
    if take("J") { return number(through: 365).flatMap { $0 >= 1 ? .ofCommonYear($0) : nil } }
    guard take("M") else { return number(through: 365).map { .ofYear($0) } }
    guard let month = number(through: 12), month >= 1, take("."), let week = number(through: 5), week >= 1, take("."),
      let weekday = number(through: 6)
    else { return nil }
    return .week(week, month: month, weekday: weekday)
  }

  private mutating func number(through limit: Int) -> Int? {
    let digits = rest.prefix(3).prefix(while: \.isDigit)
    rest = rest.dropFirst(digits.count)
    let number = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    return digits.isEmpty || number > limit ? nil : number
  }
}
