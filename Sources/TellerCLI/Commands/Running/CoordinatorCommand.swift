import ArgumentParser
import CoordinatorSettings
import Logging
import TellerCoordinator
import TellerHealth
import UnixSignals

struct CoordinatorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coordinator",
    abstract: "Runs the coordinator of a ledger, until it is told to stop.",
    discussion: """
      The coordinator reads the configuration file, and opens the ledger. One ledger and one broker have one active \
      coordinator. A further coordinator stands by until the active one has ended. A virtual host of the broker belongs to \
      the ledger whose coordinator came first: with another ledger the coordinator ends with 78, and names both ledgers. \
      See `teller broker hand-over`. The coordinator logs to standard error, \
      one line for each event. The line `serving` tells that it is the active one and is ready. When the broker restarts, \
      the coordinator connects again.

        signal              the coordinator
        SIGTERM, Ctrl-C     finishes the work that is under way, and ends
        the same again      ends at once
        SIGHUP              reads the configuration file again

      A coordinator whose terminal is closed gets SIGHUP, too, and runs on without the terminal.

      After SIGHUP these settings change at once: departments with their window, cap and ahead, kinds, schedules, plans, \
      users, retention, lease and priority_worth. The log has a line with `reloaded`. These settings stay as they were until a \
      restart: the broker, tls, insecure, the ledger, health, and `ordered` of a department. The log names each of them \
      that differs. When the file has mistakes, no setting changes, and the log has each mistake with its line.

      With --health, or with `health:` in the file, the coordinator answers over HTTP. GET /health and GET /ready are for \
      supervisors: `teller health` asks them. GET /metrics is for Prometheus.

      With `users:` in the file, each user of the broker has a role. The coordinator refuses what the role does not allow, \
      and refuses users without a role.

      EXAMPLE: teller coordinator --config teller.yaml --ledger /var/lib/teller/ledger
      """
  )

  @Option(
    help: ArgumentHelp(
      "The ledger file. A file that does not exist is made. (default: ./teller.ledger)", valueName: "file"),
    completion: .file())
  var ledger: String?

  @Option(
    help: ArgumentHelp(
      """
      The address for /health, /ready and /metrics, such as 127.0.0.1:8081. With port 0 the system chooses a free port. \
      (default: none)
      """,
      valueName: "address"))
  var health: HealthAddress?

  @Flag(help: "While the virtual host belongs to another ledger, wait instead of ending with 78.")
  var wait = false

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    // Before everything else: until then SIGHUP ends the process.
    let hangups = await UnixSignalsSequence(trapping: .sighup)
    let settings: ProcessSettings
    do throws(WrongSettings) { settings = try load() } catch { throw error.told() }
    // Before the first metric is made.
    let metrics = settings.health.map { _ in PrometheusMetrics.bootstrap() }
    let coordinator = Coordinator(
      settings, waitsForClaim: wait, metrics: metrics, logger: global.logger("teller.coordinator", level: .info)
    ) { file throws(WrongSettings) in try load(file) }
    do {
      try await StopSignals.run(drain: coordinator.drain) {
        async let _: Void = { for await _ in hangups { coordinator.reload() } }()
        try await coordinator.run()
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
}

extension Failure {
  /// Why a coordinator does not run, or no longer.
  fileprivate init(ofCoordinator error: any Error) {
    switch error {
    case CoordinatorError.ledger(let reason): self.init(.ledger, reason)
    case CoordinatorError.otherLedger(let reason): self.init(.configuration, reason)
    case CoordinatorError.broker(let error): self.init(.brokerUnavailable, error.description)
    default: self.init(error)
    }
  }
}
