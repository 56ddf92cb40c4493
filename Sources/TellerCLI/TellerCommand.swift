import ArgumentParser

/// `teller`: runs the coordinator, submits jobs, and asks what became of them.
@main
struct TellerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "teller",
    abstract: "Runs jobs over RabbitMQ: accepts, records, releases them, and tells what became of them.",
    discussion: """
      A first look, with RabbitMQ at TELLER_BROKER_URL, and departments in teller.yaml:

        teller coordinator --config teller.yaml &
        teller submit deposit --payload '{"account": "A-1", "cents": 500}'
        teller jobs --state queued
        teller status

      Settings are looked for in this order: a flag, the environment (TELLER_BROKER_URL, TELLER_LEDGER, TELLER_HEALTH, \
      TELLER_CONFIG), the file teller.yaml, the default. With --json what is printed is one JSON value a line; its member names are \
      stable. Errors are one line on standard error.

      \(ExitStatus.help)
      """,
    subcommands: [
      CoordinatorCommand.self, SubmitCommand.self, JobsCommand.self, ShowCommand.self, WaitCommand.self,
      WatchCommand.self, StatusCommand.self, HealthCommand.self,
    ]
  )

  static func main() async {
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      end(with: error)
    }
  }

  /// Help goes to standard output; an error is one line on standard error.
  private static func end(with error: any Error) -> Never {
    let code = exitCode(for: error)
    if code.isSuccess { exit(withError: error) }
    if code.rawValue == ExitStatus.usage.rawValue {
      Output.note("\(message(for: error).firstLine); see `teller help`")
      exit(withError: code)
    }
    let failure = Failure(error)
    if let message = failure.message { Output.note(message) }
    exit(withError: ExitCode(failure.status.rawValue))
  }
}

extension String {
  /// Errors are one line, whatever a peer put into them.
  var firstLine: String {
    let line = split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    return line.hasSuffix(".") ? String(line.dropLast()) : line
  }
}
