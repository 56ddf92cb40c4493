import JobModel
import Yams

extension SettingsBlock {
  /// The elements of a list; none, where the key is not there or holds nothing. Nil when the value is no list, or a longer
  /// one than allowed.
  func list(_ key: Key, of elements: String, atMost limit: Int, _ mistakes: inout Mistakes) -> [Node]? {
    guard let node = self[key], !node.isNothing else { return [] }
    guard let list = node.sequence else {
      mistakes.note(node, "\"\(key.rawValue)\" must be a list of \(elements), not \(node.shown)")
      return nil
    }
    if list.count <= limit { return Array(list) }
    note(key, "there may be at most \(limit) \(elements), not \(list.count)", &mistakes)
    return nil
  }

  /// The department that an element of a list names.
  func department(
    _ element: Node, of key: Key, _ known: KnownDepartments, _ mistakes: inout Mistakes
  ) -> Department? {
    guard let department = element.scalar.flatMap({ Department($0.string) }) else {
      mistakes.note(element, "\"\(key.rawValue)\": \(element.shown) is not \(NameRule.name.words)")
      return nil
    }
    known.check(department, at: element, &mistakes)
    return department
  }
}

extension SettingsBlock {
  /// Notes each of these keys that is not there. `name`: the block's, for people.
  func require(_ keys: [Key], of name: String, _ mistakes: inout Mistakes) {
    for key in keys where self[key] == nil { mistakes.note(node, "\(name) needs \"\(key.rawValue)\"") }
  }

  /// One of a few words.
  func word<Word: CaseIterable & RawRepresentable<String>>(
    _ key: Key, of _: Word.Type, _ mistakes: inout Mistakes
  ) -> Word? {
    value(key, &mistakes) { text throws(BadValue) in
      if let word = Word(rawValue: text) { return word }
      let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw BadValue("\(Shown.text(text)) is none of \(known)")
    }
  }

  /// A payload, as JSON; at most as large as a job's may be.
  func payload(_ key: Key, _ mistakes: inout Mistakes) -> JSONText? {
    guard let node = self[key] else { return nil }
    do throws(LineProblem) {
      return try PayloadNode.value(of: node, limit: PayloadNode.largest)
    } catch {
      mistakes.note(line: error.line, error.problem)
      return nil
    }
  }
}
