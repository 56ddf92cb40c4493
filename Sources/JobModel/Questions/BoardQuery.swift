/// Of which departments a ``Board`` has rows, and how many.
public struct BoardQuery: Hashable, Sendable {
  /// The departments whose jobs are listed, at most ``mostDepartments``. Of the others the board has numbers only.
  public var departments: [Department]
  /// At most so many waiting and so many running jobs of each of them; within ``limits``.
  public var limit: Int

  /// How many departments may be listed.
  public static let mostDepartments = 16
  /// What ``limit`` may be.
  public static let limits = 1...100
  /// The default of ``limit``.
  public static let defaultLimit = 50

  /// A query for the rows of these departments.
  public init(departments: [Department] = [], limit: Int = defaultLimit) {
    (self.departments, self.limit) = (departments, limit)
  }

  /// What is wrong with the query, for people; nil: nothing.
  package var problem: String? {
    if departments.count > BoardQuery.mostDepartments {
      return "\(departments.count) departments are more than \(BoardQuery.mostDepartments)"
    }
    if Set(departments).count < departments.count { return "a department is named twice" }
    if BoardQuery.limits.contains(limit) { return nil }
    return "limit \(limit) is not between \(BoardQuery.limits.lowerBound) and \(BoardQuery.limits.upperBound)"
  }
}

extension BoardQuery: Codable {
  package enum CodingKeys: String, CodingKey, CaseIterable {
    case departments, limit
  }

  /// Reads a query; what is missing is the default.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    departments = try members.decodeIfPresent([Department].self, forKey: .departments) ?? []
    limit = try members.decodeIfPresent(Int.self, forKey: .limit) ?? BoardQuery.defaultLimit
  }
}
