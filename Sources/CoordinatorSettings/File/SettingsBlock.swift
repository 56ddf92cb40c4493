import JobModel
import Yams

/// The keys of a block.
protocol SettingsKey: CaseIterable, RawRepresentable<String> {}

/// A block of the file: lines of the form `key: value`. A value that cannot be used is noted as a mistake and read as nil, so
/// that the reading goes on and finds the other mistakes.
struct SettingsBlock<Key: SettingsKey> {
  /// The block itself.
  let node: Node
  private var values: [String: Node] = [:]

  /// The block of a node; empty, where the node has no value. Nil when the node is no block. An unknown key is a mistake: it
  /// would be a setting that does nothing.
  init?(_ node: Node, named name: String, _ mistakes: inout Mistakes) {
    self.node = node
    guard let lines = node.lines(of: name, &mistakes) else { return nil }
    let known = Key.allCases.map(\.rawValue)
    for (key, value) in lines {
      if let text = key.string, known.contains(text) {
        values[text] = value
      } else {
        mistakes.note(key, SettingsBlock.unknown(key, known))
      }
    }
  }

  private static func unknown(_ key: Node, _ known: [String]) -> String {
    let meant = Suggestion.nearest(to: key.string ?? "", in: known).map { "did you mean \"\($0)\"? " } ?? ""
    return "unknown key \(key.shown); \(meant)known here: \(known.joined(separator: ", "))"
  }

  /// The node of a key; nil: the key is not there.
  subscript(key: Key) -> Node? { values[key.rawValue] }

  /// Notes what is wrong with the value of a key, or with the block when the key is not there.
  func note(_ key: Key, _ problem: @autoclosure () -> String, _ mistakes: inout Mistakes) {
    mistakes.note(self[key] ?? node, "\"\(key.rawValue)\": \(problem())")
  }
}

// MARK: - Values

extension SettingsBlock {
  /// A text. `isSecret`: no error shows it.
  func text(_ key: Key, isSecret: Bool = false, _ mistakes: inout Mistakes) -> String? {
    scalar(key, "a text", isSecret: isSecret, &mistakes) { $0.string }
  }

  /// The value that a text is read as.
  func value<Value, Failure: Error & CustomStringConvertible>(
    _ key: Key, isSecret: Bool = false, _ mistakes: inout Mistakes, _ read: (String) throws(Failure) -> Value
  ) -> Value? {
    guard let text = text(key, isSecret: isSecret, &mistakes) else { return nil }
    do throws(Failure) {
      return try read(text)
    } catch {
      note(key, error.description, &mistakes)
      return nil
    }
  }

  /// The path of a file.
  func path(_ key: Key, _ mistakes: inout Mistakes) -> String? {
    value(key, &mistakes) { path throws(BadValue) in
      if path.isEmpty { throw BadValue("it needs the path of a file") }
      return path
    }
  }

  /// True or false.
  func flag(_ key: Key, _ mistakes: inout Mistakes) -> Bool? {
    scalar(key, "true or false", &mistakes) { YAMLWord.flag($0.string) }
  }

  /// A number between two limits, both included.
  func number(_ key: Key, within limits: ClosedRange<Int>, _ mistakes: inout Mistakes) -> Int? {
    within(limits, key, scalar(key, "a whole number", &mistakes) { YAMLWord.number($0.string, Int.init) }, &mistakes)
  }

  /// A number between two limits, both included; with a fraction perhaps.
  func number(_ key: Key, within limits: ClosedRange<Double>, _ mistakes: inout Mistakes) -> Double? {
    within(limits, key, scalar(key, "a number", &mistakes) { YAMLWord.number($0.string, Double.init) }, &mistakes)
  }

  /// A duration between two limits, both included.
  func duration(_ key: Key, within limits: ClosedRange<Duration>, _ mistakes: inout Mistakes) -> Duration? {
    value(key, &mistakes) { text throws(BadValue) in
      guard let duration = Duration(written: text) else {
        throw BadValue("\(Shown.text(text)) is no duration: write for example 45s, 1500ms or 2m")
      }
      guard limits.contains(duration) else {
        throw BadValue("\(text) is not between \(limits.lowerBound.written) and \(limits.upperBound.written)")
      }
      return duration
    }
  }

  /// The name of a department or a kind.
  func name<Name>(_ key: Key, _ mistakes: inout Mistakes, _ read: (String) -> Name?) -> Name? {
    value(key, &mistakes) { text throws(BadValue) in
      guard let name = read(text) else { throw BadValue("\(Shown.text(text)) is not \(NameRule.name.words)") }
      return name
    }
  }

  private func within<Number: Comparable>(
    _ limits: ClosedRange<Number>, _ key: Key, _ number: Number?, _ mistakes: inout Mistakes
  ) -> Number? {
    guard let number else { return nil }
    if limits.contains(number) { return number }
    note(key, "\(number) is not between \(limits.lowerBound) and \(limits.upperBound)", &mistakes)
    return nil
  }

  private func scalar<Value>(
    _ key: Key, _ wanted: String, isSecret: Bool = false, _ mistakes: inout Mistakes,
    _ read: (Node.Scalar) -> Value?
  ) -> Value? {
    guard let node = self[key] else { return nil }
    if let value = node.scalar.flatMap(read) { return value }
    mistakes.note(node, "\"\(key.rawValue)\" must be \(wanted), not \(isSecret ? "something else" : node.shown)")
    return nil
  }
}

// MARK: - Blocks with names

/// What a name must look like.
struct NameRule: Sendable {
  let words: String
  let isName: @Sendable (String) -> Bool

  /// Departments, kinds and schedules.
  static let name = NameRule(words: "a name: 1–100 letters, digits, - and _") { Department($0) != nil }
  static let user = NameRule(words: "a user's name: 1–255 bytes") { (1...255).contains($0.utf8.count) }
}

extension SettingsBlock {
  /// What stands under a key, by name; nil: the value is no block. A name that breaks the rule is a mistake.
  func entries(
    _ key: Key, named rule: NameRule = .name, _ mistakes: inout Mistakes
  ) -> [(name: String, node: Node)]? {
    guard let node = self[key] else { return [] }
    guard let lines = node.lines(of: "\"\(key.rawValue)\"", &mistakes) else { return nil }
    return lines.compactMap { name, value in
      if let text = name.string, rule.isName(text) { return (text, value) }
      mistakes.note(name, "\(name.shown) is not \(rule.words)")
      return nil
    }
  }
}

extension Node {
  /// The lines of a block; none, where the node has no value. Nil, and a mistake, when the node is no block.
  fileprivate func lines(of name: String, _ mistakes: inout Mistakes) -> [(key: Node, value: Node)]? {
    if isNothing { return [] }
    if let mapping { return mapping.merged(&mistakes) }
    mistakes.note(self, "\(name) must hold lines of the form `key: value`, not \(shown)")
    return nil
  }
}

extension SettingsBlock {
  /// The block that stands under a key; nil: there is none.
  func inner<Inner: SettingsKey>(
    _ key: Key, _: Inner.Type, _ mistakes: inout Mistakes
  ) -> SettingsBlock<Inner>? {
    self[key].flatMap { SettingsBlock<Inner>($0, named: "\"\(key.rawValue)\"", &mistakes) }
  }
}
