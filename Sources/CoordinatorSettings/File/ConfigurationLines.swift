import Decisions
import JobModel
import Teller
import Yams

extension ConfigurationFile {
  /// Reads the text of a file. Every error names its line.
  static func parse(yaml: String, file: String) throws(ConfigurationError) -> ConfigurationFile {
    guard let root = try compose(yaml, file: file) else { return ConfigurationFile() }
    do {
      try checkKeys(of: root)
      var content = try YAMLDecoder().decode(ConfigurationFile.self, from: root)
      try content.checkDepartments(lines: root)
      try content.readPayloads(lines: root)
      return content
    } catch let error as LineProblem {
      throw .invalid(file: file, line: error.line, problem: error.problem)
    } catch let error as DecodingError {
      throw .invalid(file: file, line: line(of: error, in: root), problem: problem(of: error, in: root))
    } catch {
      throw .invalid(file: file, line: 1, problem: String(describing: error))
    }
  }

  /// The tree of nodes; nil for a file without settings.
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

  /// Refuses every unknown key: a misspelt key would be a setting that does nothing.
  private static func checkKeys(of root: Node) throws(LineProblem) {
    let top = try mapping(root, of: "the file")
    try check(top, known: Keys.allCases.map(\.rawValue))
    try checkEntries(top[Keys.departments.rawValue], of: Keys.departments, known: DepartmentSettings.Keys.allCases)
    try checkEntries(top[Keys.kinds.rawValue], of: Keys.kinds, known: KindSettings.Keys.allCases)
    try checkEntries(top[Keys.schedules.rawValue], of: Keys.schedules, known: CronSchedule.Keys.allCases)
    try checkBlock(top[Keys.tls.rawValue], of: Keys.tls, known: TLSSettings.Keys.allCases)
    try checkEntries(
      top[Keys.users.rawValue], of: Keys.users, known: UserSettings.Keys.allCases, names: "a user's name: 1–255 bytes"
    ) { (1...255).contains($0.utf8.count) }
    try checkBlock(top[Keys.retention.rawValue], of: Keys.retention, known: RetentionSettings.Keys.allCases)
    for (_, kind) in top[Keys.kinds.rawValue]?.mapping ?? [:] {
      let retry = KindSettings.Keys.retry
      try checkBlock(kind.mapping?[retry.rawValue], of: retry, known: RetryBlock.Keys.allCases)
    }
  }

  private static func checkBlock(
    _ node: Node?, of key: some RawRepresentable<String>, known: [some RawRepresentable<String>]
  ) throws(LineProblem) {
    guard let node, !node.isNothing else { return }
    try check(try mapping(node, of: "\"\(key.rawValue)\""), known: known.map(\.rawValue))
  }

  private static func checkEntries(
    _ node: Node?, of key: Keys, known: [some RawRepresentable<String>],
    names: String = "a name: 1–100 letters, digits, - and _", isName: (String) -> Bool = { Department($0) != nil }
  ) throws(LineProblem) {
    guard let node, !node.isNothing else { return }
    for (name, settings) in try mapping(node, of: "\"\(key.rawValue)\"") {
      guard let text = name.string, isName(text) else {
        throw LineProblem(name, "\(name.shown) is not \(names)")
      }
      if settings.isNothing { continue }
      try check(try mapping(settings, of: "\"\(text)\""), known: known.map(\.rawValue))
    }
  }

  private static func check(_ mapping: Node.Mapping, known: [String]) throws(LineProblem) {
    for (key, _) in mapping {
      guard let text = key.string, known.contains(text) else {
        let meant = Suggestion.nearest(to: key.string ?? "", in: known).map { "did you mean \"\($0)\"? " } ?? ""
        throw LineProblem(key, "unknown key \(key.shown); \(meant)known here: \(known.joined(separator: ", "))")
      }
    }
  }

  private static func mapping(_ node: Node, of what: String) throws(LineProblem) -> Node.Mapping {
    guard let mapping = node.mapping else {
      throw LineProblem(node, "\(what) must hold lines of the form `key: value`, not \(node.shown)")
    }
    return mapping
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
    if type == Double.self { return "a number" }
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

extension YamlError {
  fileprivate func place(in yaml: String) -> (line: Int, problem: String) {
    switch self {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      (mark.line, "this is no YAML: \(problem)\(YamlError.hint(at: mark.line, in: yaml))")
    case .duplicatedKeysInMapping(let duplicates, let context):
      (
        YamlError.lineOfSecond(duplicates.first ?? "", from: context.mark, in: yaml),
        "the key \(duplicates.map(Shown.text).joined(separator: ", ")) stands here twice"
      )
    case .reader(let problem, let offset, _, let yaml):
      (yaml.utf8.prefix(offset ?? 0).count { $0 == UInt8(ascii: "\n") } + 1, "this is no YAML: \(problem)")
    default: (1, "this is no YAML")
    }
  }

  /// Advice for a cron expression without quotes: `*` and `@` have other meanings in YAML.
  private static func hint(at line: Int, in yaml: String) -> String {
    let lines = yaml.split(separator: "\n", maxSplits: line, omittingEmptySubsequences: false)
    guard line >= 1, lines.count >= line, lines[line - 1].contains("cron:") else { return "" }
    return ": put the cron expression in quotes"
  }

  /// The line of the second of two equal keys. The search begins where the mapping begins: Yams knows that line.
  private static func lineOfSecond(_ key: String, from start: Mark, in yaml: String) -> Int {
    let lines = yaml.split(separator: "\n", omittingEmptySubsequences: false).enumerated().dropFirst(start.line - 1)
    let indent = String(repeating: " ", count: start.column - 1)
    let found = lines.filter { $0.element.hasPrefix("\(indent)\(key):") }
    return found.dropFirst().first.map { $0.offset + 1 } ?? start.line
  }
}
