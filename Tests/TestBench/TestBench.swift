import ArgumentParser
import Teller

/// A worker for end-to-end tests: handlers that do nothing, wait, fail, die, answer, or leave a trace.
@main
struct TestBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "testbench",
    abstract: "A worker whose handlers do what tests need.",
    subcommands: [WorkerCommand.self],
    defaultSubcommand: WorkerCommand.self
  )
}

struct WorkerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker",
    abstract: "Serves the kinds noop, sleep, fail, crash, echo, effect, gate and hang."
  )

  @Option(
    name: .customLong("department"), help: ArgumentHelp("A department and its tellers.", valueName: "name=tellers"))
  var staffing: [Staffing] = []

  @Option(help: ArgumentHelp("The configuration file.", valueName: "file"))
  var config: String?

  func validate() throws {
    if staffing.isEmpty { throw ValidationError("name at least one department: --department NAME=TELLERS") }
  }

  func run() async throws {
    let worker = Worker(try TellerConfiguration.load(file: config), departments: Staffing.tellers(of: staffing))
    worker.register(Noop())
    worker.register(Sleep())
    worker.register(Fail())
    worker.register(Crash())
    worker.register(Echo())
    worker.register(Effect())
    worker.register(Gate())
    worker.register(Hang())
    try await worker.run()
  }
}
