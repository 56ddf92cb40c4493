/// The clocks of one time zone, as a file of the system's zone data has them (TZif, RFC 9636).
struct ZoneFile: Hashable, Sendable {
  /// The seconds since 1970 at which the clocks change, rising.
  private let changes: [Int]
  /// How far they are ahead of UTC from each of these on.
  private let offsets: [Int]
  /// The same before the first change.
  private let first: Int
  /// Counts after the last change; nil: nothing changes any more.
  private let rule: ZoneRule?

  /// More than the largest file of any zone has, in bytes.
  static let longest = 1 << 20

  /// - Returns: Nil for what is no such file, is damaged, or counts leap seconds.
  init?(_ bytes: [UInt8]) {
    guard bytes.count <= ZoneFile.longest, let old = Block(bytes[...], timeLength: 4) else { return nil }
    // The first block has times of 32 bits, and is there for programs that know no other.
    guard old.version > 0 else {
      self.init(old, rule: nil)
      return
    }
    guard let block = Block(bytes[old.end...], timeLength: 8) else { return nil }
    let newline = UInt8(ascii: "\n")
    let footer = bytes[block.end...]
    guard footer.first == newline, let end = footer.dropFirst().firstIndex(of: newline) else { return nil }
    let text = footer.dropFirst()[..<end]
    let rule = ZoneRule(text)
    guard text.isEmpty || rule != nil else { return nil }
    self.init(block, rule: rule)
  }

  private init?(_ block: Block, rule: ZoneRule?) {
    guard let types = block.types, let changes = block.changes, let offsets = block.offsets(types) else { return nil }
    (self.changes, self.offsets, first, self.rule) = (changes, offsets, types[0], rule)
  }

  /// How far the clocks are ahead of UTC at a number of seconds since 1970.
  func offset(at time: Int) -> Int {
    var (low, high) = (0, changes.count)
    while low < high {
      let middle = (low + high) / 2
      if changes[middle] <= time { low = middle + 1 } else { high = middle }
    }
    if low == changes.count, let rule { return rule.offset(at: time) }
    return low == 0 ? first : offsets[low - 1]
  }
}

/// One of the two blocks of a file: a header with counts, and lists that are as long as these say.
private struct Block {
  let version: UInt8
  /// Where the next one begins.
  let end: Int
  private let counts: (leaps: Int, times: Int, types: Int)
  private let body: ArraySlice<UInt8>
  private let timeLength: Int

  private static let headerLength = 44
  private static let typeLength = 6

  init?(_ bytes: ArraySlice<UInt8>, timeLength: Int) {
    guard bytes.count >= Block.headerLength, bytes.prefix(4).elementsEqual("TZif".utf8) else { return nil }
    version = bytes[bytes.startIndex + 4]
    let counts = (0..<6).map { Block.integer(bytes.dropFirst(20 + 4 * $0).prefix(4)) }
    guard counts.allSatisfy({ (0...ZoneFile.longest).contains($0) }) else { return nil }
    self.counts = (leaps: counts[2], times: counts[3], types: counts[4])
    self.timeLength = timeLength
    let length =
      counts[3] * (timeLength + 1) + counts[4] * Block.typeLength + counts[5] + counts[2] * (timeLength + 4) + counts[1]
      + counts[0]
    body = bytes.dropFirst(Block.headerLength)
    guard body.count >= length else { return nil }
    end = body.startIndex + length
  }

  /// The offset of each type of clock. Leap seconds count nowhere else in Teller, so data with them is of no use.
  var types: [Int]? {
    let start = counts.times * (timeLength + 1)
    let types = (0..<counts.types).map {
      Block.integer(body.dropFirst(start + $0 * Block.typeLength).prefix(4))
    }
    let isUsable = !types.isEmpty && counts.leaps == 0 && types.allSatisfy { abs($0) <= WallClock.largestOffset }
    return isUsable ? types : nil
  }

  var changes: [Int]? {
    let times = (0..<counts.times).map { Block.integer(body.dropFirst($0 * timeLength).prefix(timeLength)) }
    return zip(times, times.dropFirst()).allSatisfy(<) ? times : nil
  }

  func offsets(_ types: [Int]) -> [Int]? {
    let places = body.dropFirst(counts.times * timeLength).prefix(counts.times).map { Int($0) }
    return places.allSatisfy(types.indices.contains) ? places.map { types[$0] } : nil
  }

  /// A number of two's complement, the largest byte first.
  private static func integer(_ bytes: ArraySlice<UInt8>) -> Int {
    let sign = bytes.first.map { $0 >= 0x80 ? -1 : 0 } ?? 0
    return bytes.reduce(sign) { $0 << 8 | Int($1) }
  }
}
