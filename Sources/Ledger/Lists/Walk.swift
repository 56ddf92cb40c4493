import GRDB

/// A look at one job after the other, of whatever state, by their acceptance numbers: for shelves with so many departments
/// and kinds that visiting each costs more. A walk ends after ``limit`` jobs. The next walk goes on where it ended, so all
/// walks together look at each job once.
struct Walk {
  /// The most jobs that one looks at.
  static let limit = 5_000

  /// The numbers of the jobs that were wanted, in order.
  private(set) var numbers: [Int64] = []
  /// The last one that was looked at; nil: there was none.
  private(set) var last: Int64?
  private(set) var looked = 0

  /// Whether there is no other job in the stretch.
  var isAtEnd: Bool { looked < Walk.limit && !isFull }
  private(set) var isFull = false

  fileprivate mutating func add(_ number: Int64, isWanted: Bool, _ limit: Int) {
    looked += 1
    last = number
    if isWanted { numbers.append(number) }
    isFull = numbers.count == limit
  }
}

extension Statements {
  /// Looks at the jobs of a stretch until so many of a group on some shelves are found.
  func walk(_ shelves: [Shelf], _ group: Shelf.Group, _ stretch: Stretch, limit: Int) throws -> Walk {
    let conditions = shelves.map { ShelfConditions($0, group) }
    let sql = """
      SELECT number, \(conditions.map { "(\($0.sql))" }.joined(separator: " OR ")) FROM job
      WHERE number > ? AND number < ? ORDER BY number\(stretch.isNewestFirst ? " DESC" : "") LIMIT ?
      """
    let values = conditions.flatMap(\.values) + [stretch.after.value, stretch.before.value, Walk.limit.value]
    var walk = Walk()
    guard !shelves.isEmpty, limit > 0 else { return walk }
    try self[sql].each({ $0.add(values) }) { cells in
      walk.add(try cells[0], isWanted: try cells[1] as Bool? == true, limit)
      return !walk.isFull
    }
    return walk
  }
}
