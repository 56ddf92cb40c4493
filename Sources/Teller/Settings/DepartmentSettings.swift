/// What `teller.yaml` says of a department.
public struct DepartmentSettings: Sendable, Hashable {
  /// Whether its jobs run strictly one after another, by rank.
  public var isOrdered: Bool
  /// How many of its jobs may be released and unfinished; nil: the default. An ordered department has none: always 1.
  public var window: Int?
  /// How many of its jobs may run at once in all worker processes together; nil: as many as there are tellers. An
  /// ordered department has none: always 1.
  public var cap: Int?

  /// A department as it is without a word about it, or with what is given.
  public init(isOrdered: Bool = false, window: Int? = nil, cap: Int? = nil) {
    self.isOrdered = isOrdered
    self.window = window
    self.cap = cap
  }

  /// What `window:` may say.
  package static let windowLimits = 1...1_000_000
  /// What `cap:` may say.
  package static let capLimits = 1...1_000_000
}

extension DepartmentSettings: Decodable {
  enum Keys: String, CodingKey, CaseIterable {
    case ordered, window, cap
  }

  /// Reads `ordered:`, `window:` and `cap:`; nothing at all is a department like any other.
  public init(from decoder: any Decoder) throws {
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
