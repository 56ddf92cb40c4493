import Foundation

/// The options of a command, with their values; nil: not given. A flag has an empty value.
typealias GivenOptions = [(name: String, value: String?)]

/// The command that shows the next page of a list. A copy of it works in the same folder, with the same environment.
enum NextPage {
  static func note(_ command: String, _ options: GivenOptions) -> String {
    "there are more: \(text(program: CommandLine.arguments.first ?? "teller", command, options))"
  }

  /// `command`: its words, as in `plan list`.
  static func text(program: String, _ command: String, _ options: GivenOptions) -> String {
    let given = options.flatMap { name, value in value.map { $0.isEmpty ? [name] : [name, $0] } ?? [] }
    return ([program] + command.split(separator: " ").map(String.init) + given).map(ShellWord.quoted).joined(
      separator: " ")
  }
}
