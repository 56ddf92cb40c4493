import JobModel

/// Reads the body of a pack: for each item a line of words, then as many bytes as the line says.
struct PackCursor {
  /// The longest line, in bytes.
  static let longestLine = 512

  let body: [UInt8]
  private(set) var position = 0

  init(_ body: [UInt8], from position: Int = 0) {
    (self.body, self.position) = (body, position)
  }

  var isAtEnd: Bool { position == body.count }

  /// Reads the words of the next line.
  ///
  /// - Throws: also when the line has another number of words than `count`.
  mutating func readWords(_ count: Int) throws(Unreadable) -> [ArraySlice<UInt8>] {
    let rest = body[position...].prefix(PackCursor.longestLine + 1)
    guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { throw Unreadable("its line does not end") }
    let words = words(upTo: end, count)
    guard words.count == count else { throw Unreadable("its line has \(words.count) words, not \(count)") }
    position = end + 1
    return words
  }

  /// The whole words at a position, of a line that may not end or be too long; and whether nothing follows the line.
  func beginning(from position: Int) -> (words: [ArraySlice<UInt8>], isLast: Bool) {
    let rest = body[position...].prefix(PackCursor.longestLine)
    guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
      let words = rest.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
      return (words.dropLast(), rest.endIndex == body.endIndex)
    }
    let words = rest[..<end].split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    return (words, end + 1 == body.endIndex)
  }

  /// Splits a line at each space; most often into `count` words. `split` takes three times as long.
  private func words(upTo end: Int, _ count: Int) -> [ArraySlice<UInt8>] {
    var words: [ArraySlice<UInt8>] = []
    words.reserveCapacity(count)
    var start = position
    for index in position..<end where body[index] == UInt8(ascii: " ") {
      words.append(body[start..<index])
      start = index + 1
    }
    words.append(body[start..<end])
    return words
  }

  /// Reads one word of a line and the byte behind it; nil, and nothing is read: the word is longer, or ends in another way.
  mutating func readWord(endedBy end: UInt8, atMost longest: Int) -> ArraySlice<UInt8>? {
    let limit = min(body.count, position + longest + 1)
    var index = position
    while index < limit, body[index] != UInt8(ascii: " "), body[index] != UInt8(ascii: "\n") { index += 1 }
    guard index < limit, body[index] == end else { return nil }
    defer { position = index + 1 }
    return body[position..<index]
  }

  /// Reads the next bytes, so many.
  mutating func take(_ count: Int) throws(Unreadable) -> ArraySlice<UInt8> {
    guard count <= body.count - position else { throw Unreadable("it is longer than its message") }
    defer { position += count }
    return body[position..<position + count]
  }
}

/// Writes such a body.
extension [UInt8] {
  mutating func append(word: some StringProtocol) {
    append(UInt8(ascii: " "))
    append(contentsOf: word.utf8)
  }

  mutating func append(word number: Int) { append(word: String(number)) }

  mutating func endLine() { append(UInt8(ascii: "\n")) }
}
