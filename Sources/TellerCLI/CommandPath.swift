import ArgumentParser

/// Which command arguments name: `ledger backup` is one within another.
struct CommandPath {
  let type: any ParsableCommand.Type
  /// Its name, word by word; empty for the program itself.
  let names: [String]
  /// The argument behind its name.
  let next: String?

  /// - Parameter arguments: Those without the program's name.
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

  /// The names that may stand behind it.
  var subcommands: [String] { type.configuration.subcommands.compactMap { $0.configuration.commandName } }

  /// Where its help is.
  var help: String { "`\((["teller", "help"] + names).joined(separator: " "))`" }
}
