/// Cuts a stream of bytes into numbered lines, holding no more than one line in memory.
struct LineSplitter {
  enum Line: Equatable {
    case text(number: Int, bytes: [UInt8])
    /// The line is longer than the limit; its bytes were dropped.
    case tooLong(number: Int)
  }

  /// The longest line, in bytes: room for the largest payload and the other members.
  static let defaultLimit = 2 << 20

  private let limit: Int
  private var number = 1
  private var partial: [UInt8] = []
  private var isTooLong = false

  init(limit: Int = LineSplitter.defaultLimit) {
    self.limit = limit
  }

  /// The lines that end in these bytes. Empty lines are counted and left out.
  mutating func take(_ bytes: some Collection<UInt8>) -> [Line] {
    var lines: [Line] = []
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      keep(rest[..<end])
      lines += finish()
      rest = rest[rest.index(after: end)...]
    }
    keep(rest)
    return lines
  }

  private mutating func keep(_ bytes: some Collection<UInt8>) {
    guard !isTooLong else { return }
    if partial.count + bytes.count > limit {
      isTooLong = true
      partial = []
    } else {
      partial.append(contentsOf: bytes)
    }
  }

  /// Ends the line that was begun: at a newline, or at the end of the stream.
  mutating func finish() -> [Line] {
    defer {
      number += 1
      partial = []
      isTooLong = false
    }
    if isTooLong { return [.tooLong(number: number)] }
    if partial.last == UInt8(ascii: "\r") { partial.removeLast() }
    let isEmpty = partial.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    return isEmpty ? [] : [.text(number: number, bytes: partial)]
  }
}
