import JobModel
import Yams

extension UserSettings {
  enum Keys: String, SettingsKey {
    case role, departments
  }

  /// Reads `role:`, which must be there, and `departments:`. Nil when there is no role that can be used.
  init?(_ block: SettingsBlock<Keys>, _ known: KnownDepartments, _ mistakes: inout Mistakes) {
    if block[.role] == nil { block.note(.role, "it must be there: \(UserSettings.roles)", &mistakes) }
    let role = block.value(.role, &mistakes, UserSettings.role)
    let departments = UserSettings.departments(block, known, &mistakes)
    guard let role else { return nil }
    if !role.hasDepartments, block[.departments] != nil {
      block.note(
        .departments, "a user of the role \(role.rawValue) has none: it is for all of them", &mistakes)
    }
    self.init(role: role, departments: departments)
  }

  /// Nil: the key is not there, or holds no list.
  private static func departments(
    _ block: SettingsBlock<Keys>, _ known: KnownDepartments, _ mistakes: inout Mistakes
  ) -> [Department]? {
    guard let node = block[.departments] else { return nil }
    guard let list = node.sequence else {
      mistakes.note(node, "\"departments\" must be a list of names, not \(node.shown)")
      return nil
    }
    if list.isEmpty { block.note(.departments, "name at least one, or leave it out for all", &mistakes) }
    return list.compactMap { block.department($0, of: .departments, known, &mistakes) }
  }

  private static func role(_ text: String) throws(BadValue) -> UserRole {
    if let role = UserRole(rawValue: text) { return role }
    let meant = Suggestion.nearest(to: text, in: UserRole.allCases.map(\.rawValue))
    let advice = meant.map { "; did you mean \"\($0)\"" } ?? ""
    throw BadValue("\(Shown.text(text)) is no role\(advice); there are: \(roles)")
  }

  private static var roles: String { UserRole.allCases.map(\.rawValue).joined(separator: ", ") }
}
