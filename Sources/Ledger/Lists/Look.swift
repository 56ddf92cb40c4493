import JobModel

/// Jobs that may pass a filter: an index finds them by a part of the filter, and their rows say the rest.
struct Look {
  /// The most jobs of one look.
  static let limit = 2_000

  /// The numbers of the jobs, the newest first.
  var numbers: [Int64]
  /// The jobs below this number were not looked for; nil: no other job may pass.
  var next: Int64?
  /// How many jobs were looked at to find these.
  var cost: Int

  /// Of an index that finds the jobs one behind the other.
  init(_ numbers: [Int64]) {
    self.numbers = numbers
    next = numbers.count == Look.limit ? numbers.last : nil
    cost = numbers.count
  }

  init(_ walk: Walk) {
    numbers = walk.numbers
    next = walk.isAtEnd ? nil : walk.last
    cost = walk.looked
  }
}

extension Statements {
  /// The first look for jobs of a stretch; nil when the filter needs none, since indexes alone answer it.
  func look(for filter: JobFilter, _ stretch: Stretch) throws -> Look? {
    if let id = filter.id {
      return try look("sqlite_autoindex_job_1", "id >= ? AND id <= ?", [id.first.value, id.last.value], stretch)
    }
    if let plan = filter.plan {
      return try look("job_plan", "plan = ?", [plan.value], stretch)
    }
    if let key = filter.key, let kind = filter.kind {
      return try look("job_key", "kind = ? AND key = ?", [kind.value, key.value], stretch)
    }
    guard filter.errorCode != nil || filter.key != nil else { return nil }
    return try look(on: filter.shelves ?? Shelf.all, filter.group, stretch)
  }

  private func look(
    _ index: String, _ condition: String, _ values: [StoredValue], _ stretch: Stretch
  ) throws -> Look {
    let sql = """
      SELECT number FROM job INDEXED BY \(index) WHERE \(condition) AND number > ? AND number < ?
      ORDER BY number DESC LIMIT ?
      """
    let bounds = [stretch.after.value, stretch.before.value, Look.limit.value]
    return Look(try self[sql].all({ $0.add(values + bounds) }) { try $0[0] })
  }

  /// The next jobs of a group on some shelves.
  func look(on shelves: [Shelf], _ group: Shelf.Group, _ stretch: Stretch) throws -> Look {
    if let numbers = try numbers(on: shelves, group, stretch, limit: Look.limit) { return Look(numbers) }
    return Look(try walk(shelves, group, stretch, limit: Look.limit))
  }

  func passes(_ test: RowTest, _ number: Int64) throws -> Bool {
    try self[test.sql].first({ $0.add([number.value] + test.values) }) { _ in true } ?? false
  }
}

/// Asks the row of a job whether the job passes a filter.
struct RowTest {
  private(set) var sql = "SELECT 1 FROM job WHERE number = ?"
  private(set) var values: [StoredValue] = []

  init(_ filter: JobFilter) {
    if let shelves = filter.shelves {
      let conditions = shelves.map { "(\($0.condition))" }
      sql += " AND (\(conditions.isEmpty ? "FALSE" : conditions.joined(separator: " OR ")))"
    }
    add("department", filter.department?.value)
    add("kind", filter.kind?.value)
    add("error_code", filter.errorCode?.value)
    add("key", filter.key?.value)
    add("plan", filter.plan?.value)
    guard let id = filter.id, !id.suffix.isEmpty else { return }
    sql += " AND hex(id) LIKE ?"
    values.append("%\(id.suffix)".value)
  }

  private mutating func add(_ column: String, _ value: StoredValue?) {
    guard let value else { return }
    sql += " AND \(column) = ?"
    values.append(value)
  }
}
