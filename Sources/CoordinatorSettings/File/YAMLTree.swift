import Yams

/// The text of a file as a tree of nodes.
enum YAMLTree {
  /// How many keys that stand twice are found in one text: each takes another parse of the whole text.
  static let mostDuplicates = 20

  /// Nil for a file without settings, and for a text that is no YAML. That is one mistake: the parser ends there. Of a key
  /// that stands twice the last one counts, so that the rest is read, too.
  static func read(_ yaml: String, _ mistakes: inout Mistakes) -> Node? {
    var text = CrossedOut(yaml)
    for _ in 0...mostDuplicates {
      do {
        return try Yams.compose(yaml: text.yaml).map(text.rest(of:))
      } catch let error as YamlError {
        let (line, problem) = error.place(in: yaml)
        mistakes.note(line: line, problem)
        guard case .duplicatedKeysInMapping(_, let context) = error, text.crossOutKey(at: context.mark) else {
          return nil
        }
      } catch {
        mistakes.note(line: 1, String(describing: error))
        return nil
      }
    }
    return nil
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
        "the key \(Shown.text(duplicates.first ?? "")) stands here twice"
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
