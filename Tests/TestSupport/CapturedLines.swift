/// What a process has written, as numbered lines in the order in which they came. Bounded: the oldest lines are
/// forgotten, long ones are cut.
struct CapturedLines {
  static let lineLimit = 20_000
  static let lengthLimit = 64 * 1024

  private var lines: [OutputLine] = []
  private var partial: [OutputStream: [UInt8]] = [:]
  /// The number of the oldest line that is kept.
  private(set) var first = 0

  /// The number that the next line gets.
  var next: Int { first + lines.count }

  /// Takes bytes as they come; returns the lines that are complete with them.
  mutating func append(_ bytes: some Sequence<UInt8>, on stream: OutputStream) -> [OutputLine] {
    let start = next
    var line = partial[stream] ?? []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        add(line, on: stream)
        line.removeAll(keepingCapacity: true)
      } else if line.count < Self.lengthLimit {
        line.append(byte)
      }
    }
    partial[stream] = line
    return Array(since(start))
  }

  /// A last line may lack its newline.
  mutating func finish(_ stream: OutputStream) -> [OutputLine] {
    let start = next
    if let rest = partial.removeValue(forKey: stream), !rest.isEmpty { add(rest, on: stream) }
    return Array(since(start))
  }

  func since(_ number: Int) -> ArraySlice<OutputLine> { lines.dropFirst(max(0, number - first)) }

  /// The last lines, for the message of a failure.
  func tail(_ count: Int = 20) -> String {
    lines.isEmpty ? "(no output)" : lines.suffix(count).map(\.text).joined(separator: "\n")
  }

  private mutating func add(_ bytes: [UInt8], on stream: OutputStream) {
    lines.append(OutputLine(number: next, stream: stream, text: String(decoding: bytes, as: UTF8.self)))
    guard lines.count > Self.lineLimit else { return }
    // Forgotten in bulk: one by one would move all lines for each new one.
    let forgotten = Self.lineLimit / 10
    lines.removeFirst(forgotten)
    first += forgotten
  }
}

/// Where a process has written a line.
package enum OutputStream: Sendable, Hashable {
  case standardOutput, standardError
}

/// One line that a process has written.
package struct OutputLine: Sendable {
  /// Its place among all lines of the process, both streams together, from 0.
  package let number: Int
  /// Where it was written.
  package let stream: OutputStream
  /// The line without its newline.
  package let text: String
}
