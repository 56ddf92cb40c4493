import GRDB
import JobModel

/// Where jobs of a state are found without looking at others: an index, or a stretch of it, whose columns are the
/// department, the kind, and then the acceptance number, which every index ends with.
struct Shelf: Sendable {
  let index: String
  /// The stretch of the index, or its own condition, which a statement must repeat word by word.
  let condition: String

  static let held = Shelf(index: "job_state", condition: "state = 0")
  static let queued = Shelf(index: "job_state", condition: "state = 1")
  static let succeeded = Shelf(index: "job_state", condition: "state = 2")
  static let failed = Shelf(index: "job_state", condition: "state = 3")
  static let unsettled = Shelf(index: "job_unsettled", condition: "state = 3 AND settlement IS NULL")
  static let cancelled = Shelf(index: "job_state", condition: "state = 4")
  /// One for each state, at the place of the state's code: every job is on one of them.
  static let all: [Shelf] = [.held, .queued, .succeeded, .failed, .cancelled]

  /// The condition of the index `job_ready`: nothing but its department's window holds the job.
  static let readyCondition = "state = 0 AND not_before IS NULL AND open_dependencies = 0 AND withheld = 0"

  var source: String { "job INDEXED BY \(index)" }

  /// The department that follows another one.
  var nextDepartment: String {
    "SELECT department FROM \(source) WHERE \(condition) AND department > ? ORDER BY department LIMIT 1"
  }

  /// The kind that follows another one in a department.
  var nextKind: String {
    "SELECT kind FROM \(source) WHERE \(condition) AND department = ? AND kind > ? ORDER BY kind LIMIT 1"
  }

  /// Jobs of one department and kind; nil means any.
  struct Group: Hashable {
    var department: Department?
    var kind: JobKind?
  }

  /// With more groups than this, those of a shelf are not visited one by one: see ``Walk``.
  static let groupLimit = 1_000
}

/// A stretch of acceptance numbers, without its bounds, and from which end they are taken.
struct Stretch {
  var after: Int64 = 0
  var before: Int64 = .max
  var isNewestFirst: Bool

  /// The numbers that come first, in order.
  func first(_ limit: Int, of numbers: [Int64]) -> [Int64] {
    Array((isNewestFirst ? numbers.sorted(by: >) : numbers.sorted()).prefix(limit))
  }

  /// Ends before that number.
  mutating func cut(at number: Int64) {
    if isNewestFirst { after = number } else { before = number }
  }
}

/// A statement that finds the acceptance numbers of a group on a shelf, and its values.
struct ShelfSearch {
  let sql: String
  let values: [StoredValue]

  init(_ shelf: Shelf, _ group: Shelf.Group, _ stretch: Stretch, limit: Int) {
    let conditions = ShelfConditions(shelf, group)
    sql = """
      SELECT number FROM \(shelf.source) WHERE \(conditions.sql) AND number > ? AND number < ?
      ORDER BY number\(stretch.isNewestFirst ? " DESC" : "") LIMIT ?
      """
    values = conditions.values + [stretch.after.value, stretch.before.value, limit.value]
  }
}

struct ShelfConditions {
  private(set) var sql: String
  private(set) var values: [StoredValue] = []

  init(_ shelf: Shelf, _ group: Shelf.Group) {
    sql = shelf.condition
    if let department = group.department { add("department = ?", department.value) }
    if let kind = group.kind { add("kind = ?", kind.value) }
  }

  private mutating func add(_ condition: String, _ value: StoredValue) {
    sql += " AND " + condition
    values.append(value)
  }
}

extension Statements {
  /// The first acceptance numbers of a stretch that a group has on some shelves; nil when one of them has too many
  /// groups.
  func numbers(on shelves: [Shelf], _ wanted: Shelf.Group, _ stretch: Stretch, limit: Int) throws -> [Int64]? {
    var found: [Int64] = []
    for shelf in shelves {
      guard let numbers = try numbers(on: shelf, wanted, stretch, limit: limit) else { return nil }
      found += numbers
    }
    return stretch.first(limit, of: found)
  }

  /// In an index that begins with the department, the numbers are in order only within one group. So each group is asked
  /// for its own first numbers, and the next group only for numbers that go before those.
  private func numbers(
    on shelf: Shelf, _ wanted: Shelf.Group, _ stretch: Stretch, limit: Int
  ) throws -> [Int64]? {
    guard let groups = try groups(on: shelf, wanted) else { return nil }
    var stretch = stretch
    var found: [Int64] = []
    for group in groups {
      found = stretch.first(limit, of: found + (try search(shelf, group, stretch, limit: limit)))
      if found.count == limit, let last = found.last { stretch.cut(at: last) }
    }
    return found
  }

  /// The first acceptance numbers of a stretch that a group has on a shelf. When the group is no stretch of the index,
  /// everything that the shelf has of the group is looked at.
  func search(_ shelf: Shelf, _ group: Shelf.Group, _ stretch: Stretch, limit: Int) throws -> [Int64] {
    let search = ShelfSearch(shelf, group, stretch, limit: limit)
    return try self[search.sql].all({ $0.add(search.values) }) { try $0[0] }
  }

  /// How many jobs of a group there are on a shelf. They are counted in the index alone.
  func count(on shelf: Shelf, _ wanted: Shelf.Group) throws -> Int {
    // Only where a kind is wanted is each group worth a visit: else they are the whole index, or one stretch of it.
    let groups = wanted.kind == nil ? [wanted] : try groups(on: shelf, wanted) ?? [wanted]
    return try groups.reduce(0) { count, group in
      let conditions = ShelfConditions(shelf, group)
      let sql = "SELECT count(*) FROM \(shelf.source) WHERE \(conditions.sql)"
      let jobs: Int? = try self[sql].first({ $0.add(conditions.values) }) { try $0[0] }
      return count + (jobs ?? 0)
    }
  }

  /// The groups of the index that make up the wanted one: each is a stretch of it in which the numbers are in order. Nil
  /// when they are too many.
  private func groups(on shelf: Shelf, _ wanted: Shelf.Group) throws -> [Shelf.Group]? {
    let departments = try wanted.department.map { [$0] } ?? departments(on: shelf)
    guard wanted.kind == nil else {
      let groups = departments.map { Shelf.Group(department: $0, kind: wanted.kind) }
      return groups.count > Shelf.groupLimit ? nil : groups
    }
    var groups: [Shelf.Group] = []
    for department in departments {
      groups += try kinds(on: shelf, of: department).map { Shelf.Group(department: department, kind: $0) }
      if groups.count > Shelf.groupLimit { return nil }
    }
    return groups
  }

  /// Each department on the shelf, found by leaping from one to the next.
  private func departments(on shelf: Shelf) throws -> [Department] {
    try leap { last in
      try first(shelf.nextDepartment, last?.name ?? "")
    }
  }

  private func kinds(on shelf: Shelf, of department: Department) throws -> [JobKind] {
    try leap { last in
      try first(shelf.nextKind, department, last?.name ?? "")
    }
  }

  /// Every value that follows another one, up to one more than the limit of groups.
  private func leap<T>(_ next: (T?) throws -> T?) throws -> [T] {
    var values: [T] = []
    while values.count <= Shelf.groupLimit, let value = try next(values.last) { values.append(value) }
    return values
  }
}
