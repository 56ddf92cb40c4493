package import JobModel

extension Timestamp {
  /// Reads a text such as `2030-01-31T08:00:00.250+01:00` (RFC 3339, section 5.6). Digits beyond the millisecond are cut
  /// off, and a leap second, which ends a day of UTC, counts as the second after it. Nil for any other text: a text without
  /// an offset names no moment.
  package init?(rfc3339 text: String) {
    var reader = RFC3339Reader(text)
    guard let moment = reader.read() else { return nil }
    self = moment
  }
}

/// Reads a text of RFC 3339, from left to right.
private struct RFC3339Reader {
  private var rest: ArraySlice<UInt8>
  private var isLeapSecond = false

  /// The longest text that is read, in bytes: with nine digits behind the second it has 35.
  private static let longest = 40

  init(_ text: String) {
    rest = Array(text.utf8.prefix(RFC3339Reader.longest + 1))[...]
  }

  mutating func read() -> Timestamp? {
    guard rest.count <= RFC3339Reader.longest, let days = readDate(), take("Tt ") != nil,
      let milliseconds = readTime(), let offset = readOffset(), rest.isEmpty
    else { return nil }
    let seconds = days * 86_400 - offset + milliseconds / 1000
    if isLeapSecond, !seconds.isMultiple(of: 86_400) { return nil }
    return Timestamp(milliseconds: Int64(seconds * 1000 + milliseconds % 1000))
  }

  /// - Returns: days since 1970.
  private mutating func readDate() -> Int? {
    guard let year = number(4), take("-") != nil, let month = number(2), (1...12).contains(month), take("-") != nil,
      let day = number(2), (1...CalendarDay.length(of: month, in: year)).contains(day)
    else { return nil }
    return CalendarDay.number(of: day, month, year)
  }

  /// - Returns: milliseconds since midnight.
  private mutating func readTime() -> Int? {
    guard let hour = number(2), hour < 24, take(":") != nil, let minute = number(2), minute < 60, take(":") != nil,
      let second = number(2), second <= 60, let fraction = readFraction()
    else { return nil }
    isLeapSecond = second == 60
    return (hour * 3600 + minute * 60 + second) * 1000 + fraction
  }

  private mutating func readFraction() -> Int? {
    guard take(".") != nil else { return 0 }
    let digits = rest.prefix(while: \.isDigit)
    guard !digits.isEmpty else { return nil }
    rest = rest.dropFirst(digits.count)
    return Envelope.number(digits.prefix(3) + repeatElement(UInt8(ascii: "0"), count: max(0, 3 - digits.count)))
  }

  /// - Returns: how many seconds the clock is ahead of UTC.
  private mutating func readOffset() -> Int? {
    guard let sign = take("Zz+-") else { return nil }
    if sign == UInt8(ascii: "Z") || sign == UInt8(ascii: "z") { return 0 }
    guard let hour = number(2), hour < 24, take(":") != nil, let minute = number(2), minute < 60 else { return nil }
    return (sign == UInt8(ascii: "-") ? -1 : 1) * (hour * 3600 + minute * 60)
  }

  private mutating func number(_ count: Int) -> Int? {
    guard rest.count >= count, let number = Envelope.number(rest.prefix(count)) else { return nil }
    rest = rest.dropFirst(count)
    return number
  }

  /// Takes the next byte, if it is one of these.
  private mutating func take(_ bytes: String) -> UInt8? {
    guard let next = rest.first, bytes.utf8.contains(next) else { return nil }
    rest = rest.dropFirst()
    return next
  }
}
