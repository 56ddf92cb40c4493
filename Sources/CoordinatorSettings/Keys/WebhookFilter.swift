import Decisions
import JobModel
import Yams

extension WebhookFilter {
  enum Keys: String, SettingsKey {
    case events, departments, kinds
  }

  /// How many names each list may have.
  private static let limit = 100

  /// Reads `events:`, `departments:` and `kinds:`.
  init(_ node: Node, _ known: KnownDepartments, _ mistakes: inout Mistakes) {
    self.init()
    guard let block = SettingsBlock<Keys>(node, named: "\"on\"", &mistakes) else { return }
    departments = (block.list(.departments, of: "departments", atMost: Self.limit, &mistakes) ?? []).compactMap {
      block.department($0, of: .departments, known, &mistakes)
    }
    kinds = Self.names(.kinds, of: "kinds", block, &mistakes).compactMap { JobKind($0) }
    events = Self.names(.events, of: "events", block, &mistakes)
  }

  /// The words of a list. Each has the form of a name.
  private static func names(
    _ key: Keys, of elements: String, _ block: SettingsBlock<Keys>, _ mistakes: inout Mistakes
  ) -> [String] {
    (block.list(key, of: elements, atMost: limit, &mistakes) ?? []).compactMap { element in
      if let text = element.scalar?.string, NameRule.name.isName(text) { return text }
      mistakes.note(element, "\"\(key.rawValue)\": \(element.shown) is not \(NameRule.name.words)")
      return nil
    }
  }
}
