import ArgumentParser
import JobModel

/// Finds an unknown option. The parser blames the argument behind it instead.
enum UnknownOption {
  /// The problem with the first option that its command does not have; nil when it has all of them. The arguments are those
  /// of a command line that was refused, without the program's name.
  static func problem(in arguments: [String]) -> String? {
    let known = options(of: CommandPath(arguments).running)
    let unknown = arguments.prefix { $0 != "--" }.lazy.compactMap(name).first { !known.contains($0) }
    guard let unknown else { return nil }
    let meant = Suggestion.nearest(to: unknown, in: known).map { "; did you mean \($0)?" } ?? ""
    return "unknown option \(unknown)\(meant)"
  }

  /// `--batch` of `--batch=jobs.ndjson`.
  private static func name(_ argument: String) -> String? {
    guard argument.hasPrefix("--") else { return nil }
    return String(argument.prefix { $0 != "=" })
  }

  /// So wide that no option of the help is broken over two lines.
  private static let helpColumns = 500

  /// The options of a command, out of its help: the parser has no other list.
  private static func options(of command: any ParsableCommand.Type) -> Set<String> {
    let help = TellerCommand.helpMessage(for: command, includeHidden: true, columns: helpColumns)
    let lines = help.split(separator: "\n").filter { $0.hasPrefix("  -") }
    let words = lines.flatMap { $0.split { $0 == " " || $0 == "," || $0 == "/" } }
    return Set(words.filter { $0.hasPrefix("--") }.map(String.init))
  }
}
