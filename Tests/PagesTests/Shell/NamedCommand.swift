/// A command of a page, word by word, and the things that it names.
struct NamedCommand: Sendable, CustomStringConvertible {
  let page: String
  let words: [String]

  var description: String { "\(page): \(words.joined(separator: " "))" }

  var program: String { words.first ?? "" }

  /// The script of this repository that the command runs.
  var script: String? {
    guard let first = words.first, first.hasPrefix("Deploy/") || first.hasPrefix("Tests/") || first == ".ci/run" else {
      return nil
    }
    return first
  }

  /// The service that a command of Compose names.
  var service: String? {
    guard words.count > 2, words.starts(with: ["docker", "compose"]) else { return nil }
    guard ["up", "run", "exec", "stop", "restart", "logs"].contains(words[2]) else { return nil }
    var rest = words.dropFirst(3)
    while let word = rest.popFirst() {
      if Self.optionsWithValue.contains(word) { rest = rest.dropFirst() } else if !word.hasPrefix("-") { return word }
    }
    return nil
  }

  /// Options of Compose that take the next word as their value.
  private static let optionsWithValue: Set = ["--entrypoint", "--scale", "--profile", "--file", "-f"]
}

/// The words of shell code, without comments.
enum ShellLine {
  /// The words of each command. A command ends with its line, unless the line ends with a backslash, and at `;`, `|`, `&`.
  static func all(of lines: [String]) -> [[String]] {
    let joined = lines.joined(separator: "\n").replacing("\\\n", with: " ")
    let commands = joined.split(separator: "\n").map(withoutComment)
    return commands.flatMap { line in line.split(separator: /[;|&]+/).map { words(of: String($0)) } }.filter {
      !$0.isEmpty
    }
  }

  private static func withoutComment(_ line: Substring) -> String {
    String(line.replacing(/(^|\s)#.*/) { _ in "" }).replacing(/\\$/) { _ in "" }
  }

  private static func words(of command: String) -> [String] {
    command.split(whereSeparator: { $0.isWhitespace || $0 == "'" || $0 == "\"" }).map(String.init)
  }
}
