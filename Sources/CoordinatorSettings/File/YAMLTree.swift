import Yams

/// The text of a file as a tree of nodes.
enum YAMLTree {
  /// Nil for a file without settings, and for a text that is no YAML. That is one mistake: the parser ends there. A key that
  /// stands more than once is marked (``DuplicateKeys``), and noted when its block is read.
  static func read(_ yaml: String, _ mistakes: inout Mistakes) -> Node? {
    var text = yaml
    var marked: [YamlError] = []
    while true {
      do {
        return try Yams.compose(yaml: text)
      } catch let error as YamlError {
        if let next = error.marking(number: marked.count, in: text) {
          marked.append(error)
          text = next
          continue
        }
        // No block is read.
        for error in marked + [error] {
          let (line, problem) = error.place(in: yaml)
          mistakes.note(line: line, problem)
        }
      } catch {
        mistakes.note(line: 1, String(describing: error))
      }
      return nil
    }
  }
}

extension YamlError {
  /// The text without the reason of this error; nil: that cannot be made.
  fileprivate func marking(number: Int, in yaml: String) -> String? {
    guard number < DuplicateKeys.limit, case .duplicatedKeysInMapping(let duplicates, let context) = self,
      let key = duplicates.first
    else { return nil }
    return DuplicateKeys.marking(key, at: context.mark, number: number, in: yaml)
  }

  fileprivate func place(in yaml: String) -> (line: Int, problem: String) {
    switch self {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      (mark.line, "this is no YAML: \(problem)\(YamlError.hint(at: mark.line, in: yaml))")
    case .duplicatedKeysInMapping(let duplicates, let context):
      (context.mark.line, "the key \(Shown.text(duplicates.first ?? "")) stands here and again further below")
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
}
