import ArgumentParser
import Decisions
import Foundation
import JobModel
import Processes
import TellerHealth

/// `teller`: runs the coordinator, submits jobs, and asks about them.
@main
struct TellerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "teller",
    abstract: "Runs jobs over RabbitMQ: accepts, records and releases them, and tells how they ended.",
    discussion: """
      A first look, with RabbitMQ at TELLER_BROKER_URL, and departments in teller.yaml:

        teller coordinator --config teller.yaml &
        teller submit deposit --payload '{"customer": 1, "milliseconds": 700}'
        teller jobs --state queued
        teller status

      A setting is taken from the first of these places that has it:

        1. a flag
        2. the environment
        3. the file teller.yaml
        4. the default

      The environment has TELLER_BROKER_URL, or TELLER_BROKER_URL_FILE (a file that holds the URL). For amqps:// it has \
      TELLER_BROKER_CA, TELLER_BROKER_CERTIFICATE and TELLER_BROKER_KEY. The others are TELLER_INSECURE, TELLER_LEDGER, \
      TELLER_HEALTH and TELLER_CONFIG; `teller help page` has those of the page.

      With --json a command prints one JSON value a line; the names of its members are stable. An error is one line on \
      standard error.

      \(ExitStatus.help)
      """,
    version: "\(CoordinatorConfiguration.version)\ntime zones \(ZoneData.present.text)",
    groupedSubcommands: [
      CommandGroup(
        name: "Running",
        subcommands: [
          CoordinatorCommand.self, WebhooksCommand.self, PageCommand.self, ConfigCommand.self, StatusCommand.self,
          BoardCommand.self, ForecastCommand.self, WorkersCommand.self,
          HealthCommand.self, DoctorCommand.self,
        ]),
      CommandGroup(
        name: "Jobs",
        subcommands: [
          SubmitCommand.self, JobsCommand.self, ShowCommand.self, ExplainCommand.self, WaitCommand.self,
          OutcomeCommand.self, WatchCommand.self, SubscribersCommand.self, ReportCommand.self, SchedulesCommand.self,
          KeysCommand.self,
        ]),
      CommandGroup(name: "Plans", subcommands: [PlanCommand.self, EventCommand.self]),
      CommandGroup(
        name: "Operating",
        subcommands: [
          CancelCommand.self, RerankCommand.self, FailedCommand.self, ReplayCommand.self, DropCommand.self,
          PauseCommand.self, ResumeCommand.self, ResizeCommand.self, DrainCommand.self, ResetCommand.self,
          RestoreCommand.self, OperationCommand.self, ActionsCommand.self, RejectedCommand.self,
        ]),
      CommandGroup(name: "Ledger", subcommands: [LedgerCommand.self, BrokerCommand.self]),
      CommandGroup(name: "Shell", subcommands: [CompletionsCommand.self]),
    ]
  )

  /// How many threads a command needs beside its first: for tasks, and for each connection.
  private static let fewestThreads = 8
  /// The same of file descriptors.
  private static let fewestDescriptors = 16
  /// The same where the command serves. With fewer it would lose its connections again and again.
  private static let fewestOfServer = 40
  private static let servers: Set<String> = ["coordinator", "page", "webhooks"]

  /// Runs on the main thread, so that it can report a shortage when no other thread can be started.
  @MainActor
  static func main() async {
    ServerResources.limitLoops()
    if let shortage {
      Output.error(shortage)
      exit(withError: ExitCode(ExitStatus.noResources.rawValue))
    }
    await run()
  }

  /// What the process has too little of; nil: nothing. Without this check a command would hang, or a library would end it.
  private static var shortage: String? {
    let isServer = CommandLine.arguments.dropFirst().first.map(servers.contains) ?? false
    let (left, needed) = (Descriptors.left, isServer ? fewestOfServer : fewestDescriptors)
    if left.count < needed { return Descriptors.tooFew(left, needed: needed) }
    return OwnThread.problem(ofStarting: fewestThreads).map(ServerResources.tooFewThreads)
  }

  private static func run() async {
    Colors.choose(Array(CommandLine.arguments.dropFirst()))
    do {
      try checkEncoding()
      try checkName(in: Array(CommandLine.arguments.dropFirst()))
      var command = try await asyncParseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      if let problem = Output.problem { throw Failure(.ledger, "the answer cannot be written: \(problem)") }
    } catch {
      end(with: error)
    }
  }

  /// Refuses arguments that are not UTF-8. Swift would repair them: another payload, or another key, would be sent than was
  /// given.
  private static func checkEncoding() throws {
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let argument = CommandLine.unsafeArgv[index], String(validatingCString: argument) == nil else { continue }
      throw Failure(.usage, "argument \(index) is not UTF-8: give such a payload with --payload-file")
    }
  }

  /// Refuses a misspelt command. The parser would take it for an argument too many; after `help` it would show the help of
  /// the whole program. The arguments are given without the program's name.
  static func checkName(in arguments: [String]) throws {
    let isHelp = arguments.first == "help"
    let path = CommandPath(isHelp ? Array(arguments.dropFirst()) : arguments)
    let known = path.subcommands + (path.names.isEmpty ? ["help"] : [])
    // Behind `teller event` stands the name of an event.
    if path.type is EventCommand.Type, !isHelp { return }
    guard !path.subcommands.isEmpty, let name = path.next, !name.hasPrefix("-"), !known.contains(name) else { return }
    let meant = Suggestion.nearest(to: name, in: known).map { ": did you mean \($0)?" }
    let words = (path.names + [name]).joined(separator: " ")
    throw Failure(.usage, "there is no command \"\(words)\"\(meant ?? "; see \(path.help)")")
  }

  /// Help goes to standard output; an error is one line on standard error.
  private static func end(with error: any Error) -> Never {
    let code = exitCode(for: error)
    if code.isSuccess { exit(withError: error) }
    if code.rawValue == ExitStatus.usage.rawValue {
      let arguments = Array(CommandLine.arguments.dropFirst())
      let problem =
        UnknownOption.problem(in: arguments) ?? UsageText.withHint(UsageText.singleLine(message(for: error)), arguments)
      Output.error("\(problem); see \(CommandPath(arguments).help)")
      exit(withError: code)
    }
    let failure = Failure(error)
    if let message = failure.message { Output.error(message) }
    exit(withError: ExitCode(failure.status.rawValue))
  }
}
