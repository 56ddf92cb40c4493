import JobModel
import Yams

extension ConfigurationFile {
  /// What a file says, over the defaults. Every error has the line it is about.
  static func configuration(yaml: String, file: String) throws(ConfigurationError) -> TellerConfiguration {
    guard let root = try compose(yaml, file: file) else { return TellerConfiguration() }
    do {
      try checkKeys(of: root)
      let content = try YAMLDecoder().decode(ConfigurationFile.self, from: root)
      return try content.configuration(lines: root)
    } catch let error as LineProblem {
      throw .invalid(file: file, line: error.line, problem: error.problem)
    } catch let error as DecodingError {
      throw .invalid(file: file, line: line(of: error, in: root), problem: problem(of: error, in: root))
    } catch {
      throw .invalid(file: file, line: 1, problem: String(describing: error))
    }
  }

  /// The tree of nodes; nil for a file that says nothing.
  private static func compose(_ yaml: String, file: String) throws(ConfigurationError) -> Node? {
    do {
      return try Yams.compose(yaml: yaml)
    } catch let error as YamlError {
      let (line, problem) = error.place(in: yaml)
      throw .invalid(file: file, line: line, problem: problem)
    } catch {
      throw .invalid(file: file, line: 1, problem: String(describing: error))
    }
  }

  /// Refuses every key that is not known: a misspelt one would otherwise be a setting that does nothing.
  private static func checkKeys(of root: Node) throws(LineProblem) {
    let top = try mapping(root, of: "the file")
    try check(top, known: Keys.allCases.map(\.rawValue))
    try checkEntries(top[Keys.departments.rawValue], of: Keys.departments, known: DepartmentSettings.Keys.allCases)
    try checkEntries(top[Keys.kinds.rawValue], of: Keys.kinds, known: KindSettings.Keys.allCases)
  }

  private static func checkEntries(
    _ node: Node?, of key: Keys, known: [some RawRepresentable<String>]
  ) throws(LineProblem) {
    guard let node, !node.isNothing else { return }
    for (name, settings) in try mapping(node, of: "\"\(key.rawValue)\"") {
      guard let text = name.string, Department(text) != nil else {
        throw LineProblem(name, "\(name.shown) is not a name: 1–100 letters, digits, - and _")
      }
      if settings.isNothing { continue }
      try check(try mapping(settings, of: "\"\(text)\""), known: known.map(\.rawValue))
    }
  }

  private static func check(_ mapping: Node.Mapping, known: [String]) throws(LineProblem) {
    for (key, _) in mapping {
      guard let text = key.string, known.contains(text) else {
        throw LineProblem(key, "unknown key \(key.shown); known here: \(known.joined(separator: ", "))")
      }
    }
  }

  private static func mapping(_ node: Node, of what: String) throws(LineProblem) -> Node.Mapping {
    guard let mapping = node.mapping else {
      throw LineProblem(node, "\(what) must hold lines of the form `key: value`, not \(node.shown)")
    }
    return mapping
  }

  /// The names as values, checked against each other.
  private func configuration(lines root: Node) throws(LineProblem) -> TellerConfiguration {
    var configuration = TellerConfiguration()
    if let broker { configuration.brokerURL = broker }
    if let ledger { configuration.ledger = ledger }
    if let lease { configuration.lease = lease }
    configuration.health = health
    for (name, settings) in departments {
      if let department = Department(name) { configuration.departments[department] = settings }
    }
    for (name, settings) in kinds {
      if let department = settings.department, configuration.departments[department] == nil {
        let path = [Keys.kinds.rawValue, name, KindSettings.Keys.department.rawValue]
        throw LineProblem(root.node(at: path[...]), "there is no department \"\(department)\" under `departments:`")
      }
      if let kind = JobKind(name) { configuration.kinds[kind] = settings }
    }
    return configuration
  }
}

/// What is wrong, and on which line.
private struct LineProblem: Error {
  var line: Int
  var problem: String

  init(_ node: Node, _ problem: String) {
    line = node.mark?.line ?? 1
    self.problem = problem
  }
}

extension ConfigurationFile {
  private static func line(of error: DecodingError, in root: Node) -> Int {
    root.node(at: error.path[...]).mark?.line ?? 1
  }

  private static func problem(of error: DecodingError, in root: Node) -> String {
    let path = error.path
    let name = path.last.map { "\"\($0)\"" } ?? "the file"
    switch error {
    case .dataCorrupted(let context): return "\(name): \(context.debugDescription)"
    case .typeMismatch(let type, _), .valueNotFound(let type, _):
      let found = path.last == Keys.broker.rawValue ? "something else" : root.node(at: path[...]).shown
      return "\(name) must be \(wording(of: type)), not \(found)"
    case .keyNotFound(let key, _): return "\(name) needs \"\(key.stringValue)\""
    @unknown default: return String(describing: error)
    }
  }

  private static func wording(of type: any Any.Type) -> String {
    if type is any BinaryInteger.Type { return "a whole number" }
    if type == Bool.self { return "true or false" }
    return "a text"
  }
}

extension DecodingError {
  fileprivate var path: [String] {
    switch self {
    case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
      .keyNotFound(_, let context):
      context.codingPath.map(\.stringValue)
    @unknown default: []
    }
  }
}

extension Node {
  /// The node that the keys lead to, or the nearest one on the way.
  fileprivate func node(at path: ArraySlice<String>) -> Node {
    guard let key = path.first, let next = mapping?[Node(key)] else { return self }
    return next.node(at: path.dropFirst())
  }

  /// `key:` with nothing behind it.
  fileprivate var isNothing: Bool { null != nil }

  /// The node for an error, cut to a length that fits on a line.
  fileprivate var shown: String {
    switch self {
    case .scalar(let scalar): isNothing ? "nothing" : "\"\(scalar.string.prefix(40))\""
    case .mapping: "a mapping"
    case .sequence: "a list"
    case .alias: "an alias"
    }
  }
}

extension YamlError {
  fileprivate func place(in yaml: String) -> (line: Int, problem: String) {
    switch self {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      (mark.line, "this is no YAML: \(problem)")
    case .duplicatedKeysInMapping(let duplicates, let context):
      (
        YamlError.lineOfSecond(duplicates.first ?? "", from: context.mark, in: yaml),
        "the key \(duplicates.map { "\"\($0)\"" }.joined(separator: ", ")) stands here twice"
      )
    case .reader(let problem, let offset, _, let yaml):
      (yaml.utf8.prefix(offset ?? 0).count { $0 == UInt8(ascii: "\n") } + 1, "this is no YAML: \(problem)")
    default: (1, "this is no YAML")
    }
  }

  /// Yams tells where the mapping begins; the key that is too many is looked for at the same depth from there.
  private static func lineOfSecond(_ key: String, from start: Mark, in yaml: String) -> Int {
    let lines = yaml.split(separator: "\n", omittingEmptySubsequences: false).enumerated().dropFirst(start.line - 1)
    let indent = String(repeating: " ", count: start.column - 1)
    let found = lines.filter { $0.element.hasPrefix("\(indent)\(key):") }
    return found.dropFirst().first.map { $0.offset + 1 } ?? start.line
  }
}
