import ArgumentParser
import Teller
import Testing

@testable import TellerCLI

@Suite("Arguments")
struct ArgumentTests {
  private func message(_ arguments: String...) -> String? {
    do {
      _ = try TellerCommand.parseAsRoot(arguments)
      return nil
    } catch {
      #expect(TellerCommand.exitCode(for: error).rawValue == TellerCLI.ExitStatus.usage.rawValue)
      return TellerCommand.message(for: error)
    }
  }

  @Test("a broker's URL with a password is refused in an argument, and not repeated")
  func password() throws {
    let message = try #require(self.message("status", "--broker", "amqp://me:geheim@host/"))
    #expect(message.contains("TELLER_BROKER_URL"))
    #expect(!message.contains("geheim"))
    #expect(self.message("status", "--broker", "amqp://host/vhost") == nil)
    #expect(self.message("status", "--broker", "amqp://me@host:5672/") == nil)
  }

  @Test("submit needs a kind or a batch, and not both")
  func kindOrBatch() {
    #expect(message("submit") != nil)
    #expect(message("submit", "noop", "--batch", "-") != nil)
    #expect(message("submit", "--batch", "-", "--priority", "4") != nil)
    #expect(message("submit", "--batch", "-") == nil)
    #expect(message("submit", "noop") == nil)
  }

  @Test(
    "a misspelt option is named, not the word behind it",
    arguments: [
      (["cancel", "--departmnt", "x"], "unknown option --departmnt; did you mean --department?"),
      (["submit", "noop", "--prority=4"], "unknown option --prority; did you mean --priority?"),
      (["status", "--xyz"], "unknown option --xyz"), (["status", "--json", "--", "--xyz"], nil),
      (["submit", "noop", "--priority", "99", "--broker", "amqp://host", "--wait", "--help"], nil),
    ] as [([String], String?)])
  func misspeltOption(arguments: [String], problem: String?) {
    #expect(throws: (any Error).self) { try TellerCommand.parseAsRoot(arguments) }
    #expect(UnknownOption.problem(in: arguments) == problem)
  }

  @Test(
    "values outside their limits are refused",
    arguments: [
      ["--priority", "10"], ["--attempts", "0"], ["--rank", "0"], ["--count", "0"], ["--payload", "{x}"],
      ["--id", "7"], ["--limit", "5"], ["--count", "2", "--id", "0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11"],
    ])
  func limits(arguments: [String]) {
    #expect(throws: (any Error).self) { try TellerCommand.parseAsRoot(["submit", "noop"] + arguments) }
  }

  @Test(
    "a watch begins at the start, now, or behind an event",
    arguments: [
      ("start", WatchStart.start), ("now", .now), ("42", .afterNumber(42)),
      ("1/42", .after(EventPosition(epoch: 1, sequence: 42))),
    ])
  func since(text: String, start: WatchStart) {
    #expect(WatchStart(argument: text) == start)
    #expect(WatchStart(argument: text + "x") == nil)
    #expect(WatchStart(argument: "1/2/3") == nil)
  }

  @Test("every command has a help page with a first line")
  func help() {
    for command in TellerCommand.configuration.subcommands {
      #expect(!command.configuration.abstract.isEmpty)
      #expect(TellerCommand.helpMessage(for: command, columns: 400).contains(command.configuration.abstract))
    }
  }
}
