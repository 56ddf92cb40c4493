import JobModel
import Teller
import Yams

extension EventFilter {
  enum Keys: String, SettingsKey {
    case event, department, kind, plan, name, key, error, except
  }

  enum ExceptKeys: String, SettingsKey {
    case department, kind
  }

  /// How many names one key may have.
  static let namesLimit = 100

  /// Reads every key. Each has one name, or a list of names.
  init(_ block: SettingsBlock<Keys>, _ departments: KnownDepartments, _ mistakes: inout Mistakes) {
    self.init()
    events = block.names(.event, &mistakes, EventFilter.event)
    self.departments = block.departments(.department, departments, &mistakes)
    self.kinds = block.kinds(.kind, &mistakes)
    plans = block.names(.plan, &mistakes) { text throws(BadValue) in try EventFilter.name(text) { PlanName($0) } }
    names = block.names(.name, &mistakes) { text throws(BadValue) in ExactText(text) }
    keys = block.names(.key, &mistakes) { text throws(BadValue) in ExactText(text) }
    errors = block.names(.error, &mistakes) { text throws(BadValue) in ExactText(text) }
    guard let except = block.inner(.except, ExceptKeys.self, &mistakes) else { return }
    exceptDepartments = except.departments(.department, departments, &mistakes)
    exceptKinds = except.kinds(.kind, &mistakes)
  }

  /// What can make a job is recorded: what is only live, and what a rule could not do, is not meant.
  static let recorded = JobEvent.Change.names.filter { !live.contains($0) && $0 != OptionalEvent.ruleFailed.rawValue }
  private static let live = JobEvent.Change.live.map(\.name)

  private static func event(_ text: String) throws(BadValue) -> String {
    if recorded.contains(text) { return text }
    if live.contains(text) { throw BadValue("\(text) is only live, and is not recorded") }
    let meant = Suggestion.nearest(to: text, in: recorded).map { "; did you mean \($0)?" }
    throw BadValue("\(Shown.text(text)) is no event\(meant ?? ": there are \(recorded.joined(separator: ", "))")")
  }

  fileprivate static func name<Name>(_ text: String, _ read: (String) -> Name?) throws(BadValue) -> Name {
    guard let name = read(text) else { throw BadValue("\(Shown.text(text)) is not \(NameRule.name.words)") }
    return name
  }
}

extension SettingsBlock {
  /// One name, or a list of names; none, where the key is not there. A name that cannot be used is a mistake.
  func names<Value: Hashable>(
    _ key: Key, _ mistakes: inout Mistakes, _ read: (String) throws(BadValue) -> Value
  ) -> Set<Value> {
    Set(named(key, &mistakes, read).map(\.value))
  }

  fileprivate func departments(
    _ key: Key, _ known: KnownDepartments, _ mistakes: inout Mistakes
  ) -> Set<Department> {
    let names = named(key, &mistakes) { text throws(BadValue) in try EventFilter.name(text) { Department($0) } }
    for (department, node) in names { known.check(department, at: node, &mistakes) }
    return Set(names.map(\.value))
  }

  fileprivate func kinds(_ key: Key, _ mistakes: inout Mistakes) -> Set<JobKind> {
    names(key, &mistakes) { text throws(BadValue) in try EventFilter.name(text) { JobKind($0) } }
  }

  private func named<Value>(
    _ key: Key, _ mistakes: inout Mistakes, _ read: (String) throws(BadValue) -> Value
  ) -> [(value: Value, node: Node)] {
    guard let node = self[key], !node.isNothing else { return [] }
    let nodes = node.sequence.map { Array($0) } ?? [node]
    guard nodes.count <= EventFilter.namesLimit else {
      note(key, "there may be at most \(EventFilter.namesLimit) names, not \(nodes.count)", &mistakes)
      return []
    }
    var values: [(value: Value, node: Node)] = []
    for node in nodes {
      guard let text = node.scalar?.string else {
        mistakes.note(node, "\"\(key.rawValue)\" must be a name or a list of names, not \(node.shown)")
        continue
      }
      do throws(BadValue) {
        values.append((try read(text), node))
      } catch {
        mistakes.note(node, "\"\(key.rawValue)\": \(error.description)")
      }
    }
    return values
  }
}
