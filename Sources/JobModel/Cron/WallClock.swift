/// What the clocks of a time zone show around one day: pieces of time, in each of which they are apart from UTC by the
/// same amount. All numbers are seconds since 1970; a *wall time* is what a clock shows, read as if it were UTC.
struct WallClock {
  /// A piece between two changes of the clock.
  private struct Piece {
    var start: Int
    /// Not part of the piece.
    var end: Int
    /// Wall time minus time.
    var offset: Int
  }

  private let pieces: [Piece]

  /// The clocks during every moment at which a clock anywhere may show that day.
  init(_ day: CalendarDay, in zone: Zone) {
    let midnight = day.number * WallClock.dayLength
    let (first, last) = (midnight - WallClock.largestOffset, midnight + WallClock.dayLength + WallClock.largestOffset)
    var current = Piece(start: first, end: last, offset: zone.offset(at: first))
    var pieces: [Piece] = []
    for time in stride(from: first, through: last, by: WallClock.probeDistance) {
      let offset = zone.offset(at: time)
      if offset == current.offset { continue }
      let range = (time - WallClock.probeDistance)...time
      current.end = WallClock.change(from: current.offset, within: range, in: zone)
      pieces.append(current)
      current = Piece(start: current.end, end: last, offset: offset)
    }
    self.pieces = pieces + [current]
  }

  static let dayLength = 86_400
  /// No zone has ever been further from UTC.
  static let largestOffset = 16 * 3_600
  /// Nowhere has the clock changed twice within this time.
  private static let probeDistance = 4 * 3_600

  /// The first second in which `offset` is no longer the one.
  private static func change(from offset: Int, within range: ClosedRange<Int>, in zone: Zone) -> Int {
    var (before, after) = (range.lowerBound, range.upperBound)
    while after - before > 1 {
      let middle = (before + after) / 2
      if zone.offset(at: middle) == offset { before = middle } else { after = middle }
    }
    return after
  }

  /// The first moment at which the clock shows that wall time or a later one: the first of two that show it, and the
  /// moment after the gap for one that none shows. A later wall time never has an earlier moment.
  func firstMoment(at wall: Int) -> Int? {
    guard let piece = pieces.first(where: { $0.end + $0.offset > wall }) else { return nil }
    return max(piece.start, wall - piece.offset)
  }

  /// Every moment at which the clock shows one of those wall times, which rise; the moments rise, too.
  func moments(at walls: [Int]) -> [Int] {
    pieces.flatMap { piece in
      walls.map { $0 - piece.offset }.filter { $0 >= piece.start && $0 < piece.end }
    }
  }
}
