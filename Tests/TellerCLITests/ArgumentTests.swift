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
      ["--id", "7"], ["--within", "5"], ["--count", "2", "--id", "0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11"],
    ])
  func limits(arguments: [String]) {
    #expect(throws: (any Error).self) { try TellerCommand.parseAsRoot(["submit", "noop"] + arguments) }
  }

  @Test(
    "a watch begins at the start, now, at a moment, or behind an event",
    arguments: [
      ("start", WatchStart.start), ("now", .now), ("42", .afterNumber(42)),
      ("1h", .since(.ago(.seconds(3_600)))),
      ("2026-03-01T08:00:00Z", .since(.at(Timestamp(milliseconds: 1_772_352_000_000)))),
      ("1/42", .after(EventPosition(epoch: 1, sequence: 42))),
      ("1/42/977", .after(EventPosition(epoch: 1, sequence: 42, offset: 977))),
    ])
  func since(text: String, start: WatchStart) {
    #expect(WatchStart(argument: text) == start)
    #expect(WatchStart(argument: text + "x") == nil)
    #expect(WatchStart(argument: "1/2/3/4") == nil)
  }

  @Test(
    "what a value is to be stands behind what is wrong with it",
    arguments: [
      (["submit", "noop", "--delay", "5"], "--delay <duration>': write 90s, 15m or 2h"),
      (["submit", "noop", "--timeout", "0s"], "--timeout <duration>': write 90s, 15m or 2h"),
      (["submit", "noop", "--within", "5"], "--within <duration>': write 90s, 15m or 2h"),
      (["wait", JobID().description, "--within", "5"], "--within <duration>': write 90s, 15m or 2h"),
      (
        ["submit", "noop", "--key-window", "5"],
        "--key-window <duration|while-live>': write 90s, 15m or 2h, or while-live"
      ),
      (["submit", "noop", "--priority", "12"], "--priority <priority>': it is 0–9"),
      (["submit", "noop", "--at", "2026-03-01"], "write a moment with its offset, or Z"),
      (["resize", "loan", "-1"], "TELLERS is 0–10000, not -1"), (["resize", "loan", "10001"], "TELLERS is 0–10000"),
      (["resize", "loan", "many"], "<tellers>': it is 0–10000"), (["keys", "free", "invoice", ""], "1–200 bytes"),
      (["cancel"], "Either name jobs, or give filters such as --kind and --department, or --all"),
    ])
  func hints(arguments: [String], hint: String) throws {
    let error = #expect(throws: (any Error).self) { try TellerCommand.parseAsRoot(arguments) }
    let problem = UsageText.singleLine(TellerCommand.message(for: try #require(error)))
    let text = UsageText.withHint(problem, arguments)
    #expect(text.contains(hint), "\(text)")
    let command = arguments[0] == "keys" ? "keys free" : arguments[0]
    #expect(CommandPath(arguments).help == "`teller help \(command)`")
  }

  @Test("what names no command is told where the help of all of them is")
  func helpOfAll() {
    #expect(CommandPath([]).help == "`teller help`")
    #expect(CommandPath(["--broker", "submit"]).help == "`teller help`")
    #expect(UsageText.withHint("x", ["submit"]) == "x")
  }

  @Test("the help of the options says their limits, and where their defaults come from")
  func limitsInHelp() {
    let help = TellerCommand.helpMessage(for: SubmitCommand.self, columns: 1_000)
    let limits = ["1ms–7d", "1s–366d", "at most ten years", "`attempts:` of its kind", "`start_within:` of its kind"]
    for text in limits { #expect(help.contains(text), "\(text)") }
    for option in ["--delay", "--start-within", "--timeout", "--key-window", "--within"] {
      #expect(help.contains("\(option) <duration"), "\(option)")
    }
    #expect(TellerCommand.helpMessage(for: ResizeCommand.self, columns: 1_000).contains("0–10000"))
  }

  @Test("every command has a help page with a first line")
  func help() {
    for command in TellerCommand.configuration.subcommands {
      #expect(!command.configuration.abstract.isEmpty)
      #expect(TellerCommand.helpMessage(for: command, columns: 400).contains(command.configuration.abstract))
    }
  }
}
