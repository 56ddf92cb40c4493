import ArgumentParser
import Logging
import ServiceLifecycle
import Teller
import TellerHealth
import TellerPage
import UnixSignals

/// `bank page`: the page of Teller, with the bank's screen on it.
struct PageCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "page",
    abstract: "Serves the page for browsers, with the bank's screen.",
    discussion: """
      The screen is at http://127.0.0.1:8090/bank. It shows who waits and who is served, and a clock that runs while anyone \
      does. "Add ten" lets ten customers come in. "Reset" cancels every job that waits or runs, in all \
      departments, and the plans that run.

      The rest of the page is that of `teller page`, which tells about all departments. Its settings are the same: they come \
      from the environment, as TELLER_PAGE_TOKENS. `teller page --help` has them all.

      EXAMPLE: bank page --speed 0.5
      """
  )

  @Option(help: ArgumentHelp("The address of the page. (default: 127.0.0.1:8090)", valueName: "address"))
  var listen: String?

  @Option(help: "The speed of the customers, 0.01–1000. At speed 10 each takes a tenth of the time.")
  var speed = 1.0

  @Option(
    help: ArgumentHelp(
      "Where to answer /health, /ready and /metrics, such as 127.0.0.1:8085. (default: nowhere)", valueName: "address"),
    transform: HealthAddress.argument)
  var health: HealthAddress?

  @OptionGroup var settings: SettingsOptions

  func validate() throws {
    guard Pace.limits.contains(speed) else { throw ValidationError("The speed is between 0.01 and 1000.") }
  }

  func run() async throws {
    BufferedLog.bootstrap()
    try await BankExit.reporting { try await serve() }
  }

  private func serve() async throws {
    // Before everything else: until then SIGHUP ends the process.
    let hangups = await UnixSignalsSequence(trapping: .sighup)
    let metrics = health.map { _ in PrometheusMetrics.bootstrap() }
    let logger = Logger(label: "bank.page")
    let client = TellerClient(try settings.configuration(), name: "bank page", logger: logger)
    let screen = BankScreen(client: client, pace: Pace(speed: speed)).screen
    let page = try PageServer(client, try pageSettings(), screens: [screen], logger: logger)
    var services: [any Service] = [client, page]
    if let health { services.append(HealthServer(on: health, logger: logger, metrics: metrics) { page.health() }) }
    // The last one ends first: nobody asks a page without a client.
    let group = ServiceGroup(services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    async let _: Void = { for await _ in hangups { page.reload() } }()
    try await group.run()
  }

  private func pageSettings() throws -> PageSettings {
    var settings = try PageSettings.load()
    if let listen {
      guard let address = HealthAddress(listen) else {
        throw ConfigurationError.invalidSetting(source: "--listen", problem: "it is no address: write 127.0.0.1:8090")
      }
      settings.address = address
    }
    return settings
  }
}
