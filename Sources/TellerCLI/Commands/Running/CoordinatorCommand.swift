import ArgumentParser
import Coordinator
import CoordinatorSettings
import Decisions
import JobModel
import Ledger
import Logging
import Teller
import TellerHealth
import UnixSignals

struct CoordinatorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coordinator",
    abstract: "Runs the coordinator of a ledger, until it is told to stop.",
    discussion: """
      It reads the configuration file at its start, takes the ledger for itself, and logs to standard error, one line an \
      event; `serving` says that it is ready. While another coordinator has the ledger, or the broker, it stands by. It \
      outlives the broker's restarts. SIGTERM or Ctrl-C lets it finish what is under way; a second one closes at once.

      SIGHUP has it read the file again. Departments with their window and cap, kinds, schedules, users, retention, lease and \
      priority_worth change at once, and the log says `reloaded`. The broker, tls, insecure, the ledger, health, and \
      `ordered` of a department need a restart: the log names them, and they stay as they were. A file with mistakes \
      changes nothing, and the log has each mistake with its line.

      With --health, or `health:` in the file, it \
      answers GET /health and GET /ready over HTTP, which `teller health` asks, and GET /metrics for Prometheus. With `users:` in the file it takes of each \
      user of the broker what that user's role may, and refuses everybody else.

      EXAMPLE: teller coordinator --config teller.yaml --ledger /var/lib/teller/ledger
      """
  )

  @Option(
    help: ArgumentHelp("The ledger file, made when it does not exist. (default: ./teller.ledger)", valueName: "file"),
    completion: .file())
  var ledger: String?

  @Option(
    help: ArgumentHelp(
      "Where to answer /health, /ready and /metrics, such as 127.0.0.1:8081; port 0 is any that is free. (default: nowhere)",
      valueName: "address"))
  var health: HealthAddress?

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    // Before everything else: until then SIGHUP ends the process.
    let hangups = await UnixSignalsSequence(trapping: .sighup)
    let settings: ProcessSettings
    do throws(WrongSettings) { settings = try load() } catch { throw error.told() }
    let health = settings.health
    // Before the first metric is made.
    let metrics = health.map { _ in PrometheusMetrics.bootstrap() }
    let service = CoordinatorService(
      configuration: settings.coordinator, brokerURL: settings.broker.brokerURL, ledgerPath: settings.ledger,
      logger: global.logger("teller.coordinator", level: .info))
    let reloading = Reloading(
      service: service, started: settings, logger: global.logger("teller.coordinator", level: .info)
    ) { file throws(WrongSettings) in try load(file) }
    do {
      try await StopSignals.run(drain: service.drain) {
        async let _: Void = reloading.run(hangups)
        try await run(service, health: health, metrics)
      }
    } catch {
      throw Failure(ofCoordinator: error)
    }
  }

  /// The settings of the file, the environment and the flags. `file`: the file of the start, when it is read again.
  private func load(_ file: String? = nil) throws(WrongSettings) -> ProcessSettings {
    var settings = try ProcessSettings.load(
      broker: global.broker, ledger: ledger, file: file ?? global.config, isPlaintextAllowed: global.insecure,
      isForCoordinator: true)
    if let health { settings.health = health }
    return settings
  }

  private func run(
    _ service: CoordinatorService, health address: HealthAddress?, _ metrics: PrometheusMetrics?
  ) async throws {
    guard let address else { return try await service.run() }
    let logger = global.logger("teller.health", level: .info)
    let server = HealthServer(on: address, logger: logger, metrics: metrics) { service.health() }
    try await server.run { try await service.run() }
  }
}

extension Failure {
  /// Why a coordinator does not run, or no longer.
  fileprivate init(ofCoordinator error: any Error) {
    switch error {
    case let error as LedgerError: self.init(.ledger, error.description)
    case let error as HealthServerError: self.init(.configuration, error.description)
    default: self.init(error)
    }
  }
}
