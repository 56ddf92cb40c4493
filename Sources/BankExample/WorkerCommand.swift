import ArgumentParser
import Teller
import TellerHealth

/// `bank worker`: tellers for one or more departments.
struct WorkerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker",
    abstract: "Serves customers, with the given number of tellers per department.",
    discussion: """
      Start as many workers as you like, on any machine: their tellers add up. SIGTERM or Ctrl-C lets the tellers finish \
      with their customers; a second one closes at once. Exits with 78 when the coordinator has no such department; `bank --help` has \
      the other codes.

      EXAMPLE: bank worker --department init=1 --department deposit=2
      """
  )

  @Option(
    name: .customLong("department"),
    help: ArgumentHelp("A department and how many tellers serve it; may be repeated.", valueName: "name=tellers"))
  var staffing: [Staffing] = []

  @OptionGroup var settings: SettingsOptions

  @Option(
    help: ArgumentHelp(
      "Where to answer /health, /ready and /metrics, such as 127.0.0.1:8082. (default: nowhere)", valueName: "address"),
    transform: HealthAddress.argument)
  var health: HealthAddress?

  func validate() throws {
    if staffing.isEmpty { throw ValidationError("Name at least one department, such as --department deposit=2.") }
  }

  func run() async throws {
    BufferedLog.bootstrap()
    try await BankExit.reporting { try await serve() }
  }

  private func serve() async throws {
    guard let health else { return try await worker().runService() }
    // Before the worker makes its metrics.
    let metrics = PrometheusMetrics.bootstrap()
    let worker = try worker()
    try await HealthServer(worker, on: health, metrics: metrics).run { try await worker.runService() }
  }

  private func worker() throws -> Worker {
    // Of a department that is named twice the last number counts.
    let departments = Dictionary(staffing.map { ($0.department, $0.tellers) }, uniquingKeysWith: { $1 })
    let worker = Worker(try settings.configuration(), departments: departments)
    worker.register(Deposit())
    worker.register(Loan())
    worker.register(InitStep())
    worker.register(Login())
    worker.register(Banner())
    worker.register(Push())
    return worker
  }
}

extension HealthAddress {
  /// Reads an argument.
  static func argument(_ text: String) throws -> HealthAddress {
    guard let address = HealthAddress(text) else {
      throw ValidationError("\"\(text)\" is no address: write for example 127.0.0.1:8082.")
    }
    return address
  }
}
