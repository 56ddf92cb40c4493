import ArgumentParser
import Foundation
import Testing

@testable import BankExample
@testable import StoreExample
@testable import TellerCLI

@Suite("The command lines in the pages")
struct CommandLineTests {
  @Test("are understood by the commands", arguments: BlockTests.blocks("sh"))
  func understood(block: CodeBlock) async throws {
    for command in try await ShellCommands.found(in: block, of: ["teller", "bank", "store"]) {
      #expect(problem(with: command) == nil, "\(block.description): \(command.joined(separator: " "))")
    }
  }

  @Test("in a sentence name commands and options that exist", arguments: Page.all)
  func named(page: Page) {
    for (number, text) in page.spans {
      let words = text.split(whereSeparator: { " …|[]()=/".contains($0) }).map(String.init)
      guard let program = words.first, ["teller", "bank", "store"].contains(program) else { continue }
      #expect(unknownWord(of: Array(words.dropFirst()), program) == nil, "\(page.path):\(number): \(text)")
    }
  }

  @Test("the check finds an unknown command, an unknown option, and a wrong value")
  func check() async throws {
    let block = CodeBlock(
      page: "page", line: 1, language: "sh",
      lines: [
        "teller cancle JOB", "docker compose run --rm producer status --jsn && rm --force /", "teller show JOB JOB",
        "bank day --customers 30 &", "teller jobs --state runing | head",
        "for job in JOB JOB; do teller show $job; done",
      ])
    let commands = try await ShellCommands.found(in: block)
    // As a set: the shell does not wait for the command in the background.
    let wrong = commands.filter { problem(with: $0) != nil }.map { $0.prefix(2).joined(separator: " ") }
    #expect(commands.count == 7)
    #expect(Set(wrong) == ["teller cancle", "teller status", "teller show", "teller jobs"] && wrong.count == 4)
    #expect(unknownWord(of: ["ledger", "bakup"], "teller") == "bakup")
    #expect(unknownWord(of: ["status", "--jsn"], "teller") == "--jsn")
    #expect(unknownWord(of: ["status", "--json"], "teller") == nil)
  }

  private func problem(with command: [String]) -> String? {
    do {
      let arguments = Array(command.dropFirst())
      _ = try root(command.first ?? "").parseAsRoot(arguments)
      return nil
    } catch {
      return TellerCommand.exitCode(for: error).isSuccess ? nil : "\(error)"
    }
  }

  private func root(_ program: String) -> any ParsableCommand.Type {
    switch program {
    case "bank": Bank.self
    case "store": Store.self
    default: TellerCommand.self
    }
  }

  /// The first word that is no command where one must be, or no option of its command.
  private func unknownWord(of words: [String], _ program: String) -> String? {
    var type: any ParsableCommand.Type = root(program)
    var rest = words[...]
    while let word = rest.first, !type.configuration.subcommands.isEmpty, !word.hasPrefix("-"), word != "help" {
      guard let next = type.configuration.subcommands.first(where: { $0.configuration.commandName == word }) else {
        return word == word.uppercased() ? nil : word
      }
      type = next
      rest = rest.dropFirst()
    }
    let help = root(program).helpMessage(for: type, includeHidden: true, columns: 500)
    return rest.first { $0.hasPrefix("--") && !help.contains($0) }
  }
}
