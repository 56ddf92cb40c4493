import AMQP
import JobModel

/// Moments and durations in headers.
extension HeaderReader {
  /// The end of the year 9999: no later time is read.
  static let latestTime = Timestamp(milliseconds: 253_402_300_799_999)

  /// A moment since 1970: milliseconds as a number of any AMQP type or in decimal digits, a text of RFC 3339, or AMQP's own
  /// timestamp, which some clients make of their language's times.
  func moment(_ name: String) throws(HeaderProblem) -> Timestamp? {
    guard let value = value(name) else { return nil }
    guard let moment = HeaderReader.moment(value), moment.milliseconds >= 0, moment <= HeaderReader.latestTime else {
      throw problem(
        name, value, expected: "milliseconds since 1970, or a time of RFC 3339 such as 2030-01-31T08:00:00+01:00")
    }
    return moment
  }

  func milliseconds(_ name: String, in range: ClosedRange<Duration>) throws(HeaderProblem) -> Duration? {
    let limits = Int(range.lowerBound.milliseconds)...Int(range.upperBound.milliseconds)
    return try number(name, in: limits).map { .milliseconds($0) }
  }

  func seconds(_ name: String, in range: ClosedRange<Duration>) throws(HeaderProblem) -> Duration? {
    let limits = Int(range.lowerBound.components.seconds)...Int(range.upperBound.components.seconds)
    return try number(name, in: limits).map { .seconds($0) }
  }

  func tooLate(_ name: String) -> HeaderProblem {
    let years = Submission.longestWait.components.seconds / (366 * 86_400)
    return problem(name, value(name) ?? .void, expected: "a time within \(years) years")
  }

  private static func moment(_ value: FieldValue) -> Timestamp? {
    switch value {
    case .int(let milliseconds): Timestamp(milliseconds: milliseconds)
    case .string(let text): Int64(text).map { Timestamp(milliseconds: $0) } ?? Timestamp(rfc3339: text)
    case .timestamp(let seconds) where seconds <= UInt64(latestTime.milliseconds / 1000):
      Timestamp(milliseconds: Int64(seconds) * 1000)
    default: nil
    }
  }
}
