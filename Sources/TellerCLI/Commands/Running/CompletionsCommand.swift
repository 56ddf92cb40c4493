import ArgumentParser

struct CompletionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions",
    abstract: "Prints the script that lets a shell complete commands and options.",
    discussion: """
      bash: source <(teller completions bash), in ~/.bashrc
      zsh:  teller completions zsh > _teller, in a folder of $fpath
      fish: teller completions fish > ~/.config/fish/completions/teller.fish

      EXAMPLE: teller completions bash > /etc/bash_completion.d/teller
      """
  )

  /// A shell that has such a script.
  enum Shell: String, CaseIterable, ExpressibleByArgument {
    case bash, zsh, fish

    fileprivate var kind: CompletionShell {
      switch self {
      case .bash: .bash
      case .zsh: .zsh
      case .fish: .fish
      }
    }
  }

  @Argument(help: "The shell: bash, zsh or fish.")
  var shell: Shell

  func run() {
    Output.line(TellerCommand.completionScript(for: shell.kind))
  }
}
