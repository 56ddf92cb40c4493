import Foundation

/// What has happened, for people; and a number that is another one when anything has happened otherwise.
struct Trace {
  let isKept: Bool
  private(set) var lines: [String] = []
  private(set) var digest: UInt64 = 0xcbf2_9ce4_8422_2325

  /// The most lines that are kept: the last ones.
  static let limit = 200_000

  init(isKept: Bool) { self.isKept = isKept }

  mutating func note(_ time: Duration, _ who: String, _ what: String) {
    add(UInt64(bitPattern: Int64(time / .nanoseconds(1))))
    for byte in who.utf8 { add(UInt64(byte)) }
    for byte in what.utf8 { add(UInt64(byte)) }
    if isKept { keep(time, who, what) }
  }

  private mutating func add(_ number: UInt64) { digest = (digest ^ number) &* 0x100_0000_01b3 }

  /// A line for people, which the digest leaves out.
  mutating func say(_ time: Duration, _ who: String, _ what: @autoclosure () -> String) {
    if isKept { keep(time, who, what()) }
  }

  private mutating func keep(_ time: Duration, _ who: String, _ what: String) {
    lines.append(
      String(format: "%10.4f  ", time / .seconds(1)) + who.padding(toLength: 12, withPad: " ", startingAt: 0) + what)
    if lines.count > Trace.limit { lines.removeFirst(Trace.limit / 2) }
  }
}
