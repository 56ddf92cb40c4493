package import JobModel

extension UserSettings: Decodable {
  enum Keys: String, CodingKey, CaseIterable {
    case role, departments
  }

  /// Reads `role:`, which must be there, and `departments:`.
  package init(from decoder: any Decoder) throws {
    if try decoder.singleValueContainer().decodeNil() {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath + [Keys.role], debugDescription: UserSettings.missing))
    }
    let container = try decoder.container(keyedBy: Keys.self)
    guard let role = try container.text(.role, { text throws(BadValue) in try UserSettings.role(text) }) else {
      throw container.problem(.role, UserSettings.missing)
    }
    self.init(role: role, departments: try container.decodeIfPresent([Department].self, forKey: .departments))
    guard let departments else { return }
    if !role.hasDepartments {
      throw container.problem(.departments, "a user of the role \(role.rawValue) has none: it is for all of them")
    }
    if departments.isEmpty { throw container.problem(.departments, "name at least one, or leave it out for all") }
  }

  private static func role(_ text: String) throws(BadValue) -> UserRole {
    if let role = UserRole(rawValue: text) { return role }
    let meant = Suggestion.nearest(to: text, in: UserRole.allCases.map(\.rawValue))
    let advice = meant.map { "; did you mean \"\($0)\"" } ?? ""
    throw BadValue("\"\(text.prefix(BadValue.shownCharacters))\" is no role\(advice); there are: \(roles)")
  }

  private static var missing: String { "it must be there: \(roles)" }

  private static var roles: String { UserRole.allCases.map(\.rawValue).joined(separator: ", ") }
}
