import ArgumentParser

/// The command that arguments name; `ledger backup` is a command within a command.
struct CommandPath {
  let type: any ParsableCommand.Type
  /// The command's name, word by word; empty for the program itself.
  let names: [String]
  /// The argument behind the name.
  let next: String?

  /// - Parameter arguments: The arguments without the program's name.
  init(_ arguments: [String]) {
    var type: any ParsableCommand.Type = TellerCommand.self
    var names: [String] = []
    for name in arguments {
      guard let found = type.configuration.subcommands.first(where: { $0.configuration.commandName == name }) else {
        break
      }
      type = found
      names.append(name)
    }
    self.type = type
    self.names = names
    next = arguments.dropFirst(names.count).first
  }

  /// The command whose options the arguments have: a group may have a command that runs when none of its own is named.
  var running: any ParsableCommand.Type { type.configuration.defaultSubcommand ?? type }

  /// The names of the commands within this one.
  var subcommands: [String] { type.configuration.subcommands.compactMap { $0.configuration.commandName } }

  /// The command that shows the help of this one.
  var help: String { "`\((["teller", "help"] + names).joined(separator: " "))`" }
}
