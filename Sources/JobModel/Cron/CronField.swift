/// One of the five fields of a cron expression, in the order in which they stand there.
package enum CronField: String, CaseIterable, Hashable, Sendable {
  case minute
  case hour
  case dayOfMonth = "day of month"
  case month
  case dayOfWeek = "day of week"

  /// The values that may stand there. Sunday is 0 and 7.
  var limits: ClosedRange<Int> {
    switch self {
    case .minute: 0...59
    case .hour: 0...23
    case .dayOfMonth: 1...31
    case .month: 1...12
    case .dayOfWeek: 0...7
    }
  }

  /// Names that may stand for values: the first for the smallest.
  var names: [String] {
    switch self {
    case .minute, .hour, .dayOfMonth: []
    case .month: ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
    case .dayOfWeek: ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
    }
  }

  func error(_ problem: String) -> CronExpressionError { CronExpressionError(field: self, problem: problem) }
}

/// Why a text is no cron expression; one line for whoever wrote it.
package struct CronExpressionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The field that is wrong; nil when it is the whole.
  package let field: CronField?
  /// What is wrong there.
  package let problem: String

  package var description: String { field.map { "\($0.rawValue): \(problem)" } ?? problem }
}

/// The values that a field allows, one bit each.
struct CronValues: Hashable, Sendable {
  private var bits: UInt64 = 0
  /// Whether the field begins with `*`: the classic test for a day field that restricts nothing. `*/2` counts, too.
  private(set) var beginsWithStar = false

  /// Reads a field: values, ranges and `*`, each range with a step if wanted, separated by commas.
  init(_ text: Substring, of field: CronField) throws(CronExpressionError) {
    beginsWithStar = text.hasPrefix("*")
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      if item.isEmpty { throw field.error("\"\(text)\" has an empty place in its list") }
      for value in try CronValues.values(item, of: field) { insert(value, of: field) }
    }
  }

  func contains(_ value: Int) -> Bool { bits & (1 << UInt64(value)) != 0 }
  var count: Int { bits.nonzeroBitCount }
  var sorted: [Int] { (0..<64).filter(contains) }

  private mutating func insert(_ value: Int, of field: CronField) {
    bits |= 1 << UInt64(field == .dayOfWeek ? value % 7 : value)
  }

  /// The values of one item of the list.
  private static func values(
    _ item: Substring, of field: CronField
  ) throws(CronExpressionError) -> StrideThrough<Int> {
    let parts = item.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count > 2 { throw field.error("\"\(item)\" has more than one step") }
    let range = try range(parts[0], of: field)
    guard parts.count == 2 else { return stride(from: range.lowerBound, through: range.upperBound, by: 1) }
    if parts[0] != "*", !parts[0].contains("-") {
      throw field.error(
        "\"\(item)\" has a step without a range: write \(parts[0])-\(field.limits.upperBound)/\(parts[1])")
    }
    guard let step = number(parts[1]), step >= 1, step <= field.limits.upperBound else {
      throw field.error("the step \"\(parts[1])\" is not between 1 and \(field.limits.upperBound)")
    }
    return stride(from: range.lowerBound, through: range.upperBound, by: step)
  }

  /// `*`, one value, or two with a hyphen.
  private static func range(_ text: Substring, of field: CronField) throws(CronExpressionError) -> ClosedRange<Int> {
    if text == "*" { return field == .dayOfWeek ? 0...6 : field.limits }
    let ends = text.split(separator: "-", omittingEmptySubsequences: false)
    if ends.count > 2 { throw field.error("\"\(text)\" is no range") }
    let lower = try value(ends[0], of: field)
    guard ends.count == 2 else { return lower...lower }
    var upper = try value(ends[1], of: field)
    // SAT-SUN is a weekend.
    if field == .dayOfWeek, upper == 0, lower > 0 { upper = 7 }
    guard lower <= upper else { throw field.error("\"\(text)\" runs backwards: write it as two ranges") }
    return lower...upper
  }

  private static func value(_ text: Substring, of field: CronField) throws(CronExpressionError) -> Int {
    if let place = field.names.firstIndex(of: text.uppercased()) { return field.limits.lowerBound + place }
    guard let value = number(text) else {
      let kind = field.names.first.map { "neither a number nor a name like \($0)" } ?? "no number"
      throw field.error("\"\(text)\" is \(kind)")
    }
    guard field.limits.contains(value) else {
      throw field.error("\(value) is not between \(field.limits.lowerBound) and \(field.limits.upperBound)")
    }
    return value
  }

  /// Digits alone; `Int` would take a sign, too.
  private static func number(_ text: Substring) -> Int? {
    text.utf8.allSatisfy(\.isDigit) ? Int(text) : nil
  }
}
