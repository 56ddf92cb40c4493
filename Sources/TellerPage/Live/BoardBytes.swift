import JobModel

/// The newest board as JSON: made once for all streams that show the same departments.
struct BoardBytes: Sendable {
  let document: any BoardDocument
  private var made: [Set<Department>: [UInt8]] = [:]

  /// - Throws: `EncodingError`, for a number that JSON does not have.
  init(_ document: any BoardDocument, for sets: Set<Set<Department>>) throws {
    self.document = document
    for set in sets { made[set] = try document.json(rowsOf: set) }
  }

  /// The board with the jobs of these departments.
  mutating func json(rowsOf departments: Set<Department>) throws -> [UInt8] {
    if let known = made[departments] { return known }
    let json = try document.json(rowsOf: departments)
    made[departments] = json
    return json
  }
}
