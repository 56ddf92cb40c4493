package import Decisions

extension DepartmentSettings {
  /// What `window:` may say.
  private static let windowLimits = 1...1_000_000
  /// What `cap:` may say.
  private static let capLimits = 1...1_000_000
}

extension DepartmentSettings: Decodable {
  enum Keys: String, CodingKey, CaseIterable {
    case ordered, window, cap
  }

  /// Reads `ordered:`, `window:` and `cap:`; a department without any of them has the defaults.
  package init(from decoder: any Decoder) throws {
    self.init()
    if try decoder.singleValueContainer().decodeNil() { return }
    let container = try decoder.container(keyedBy: Keys.self)
    if container.contains(.ordered) { isOrdered = try container.decode(Bool.self, forKey: .ordered) }
    window = try container.number(.window, within: DepartmentSettings.windowLimits)
    cap = try container.number(.cap, within: DepartmentSettings.capLimits)
    guard isOrdered else { return }
    for key in [Keys.window, .cap] where container.contains(key) {
      throw container.problem(key, "an ordered department has no \(key.rawValue): one job runs at a time")
    }
  }
}
