import ArgumentParser
import Foundation
import JobModel
import Logging
import Teller
import TellerHealth
import TellerPage
import UnixSignals

struct PageCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "page",
    abstract: "Serves the page for browsers: what waits and runs, why, and how long it will take.",
    discussion: """
      The page is at http://\(PageSettings.usualAddress), for this machine alone: everybody on it may do everything that the \
      broker's user may. Give the page a broker's user with the role "monitor", and nobody can change anything by it.

      For others the page needs --tokens, and either --tls-certificate and --tls-key, or --behind-proxy. The file of tokens \
      has a line for each, with a name, a role and the token's SHA-256. Behind # stands a remark:

        anna operator SHA256-OF-THE-TOKEN

      A viewer may look, and an operator may change what the page can change. This makes a token and its SHA-256:

        openssl rand -hex 32 | tee anna.token | tr -d '\\n' | sha256sum

      Every setting has an environment variable, too: --behind-proxy is TELLER_PAGE_BEHIND_PROXY, and so on. Several hosts are \
      separated by commas. For --published-locally, --read-only and --no-payloads it is 1 or 0.

      The page is a client: it needs no ledger, and goes on while the broker or the coordinator is away. SIGTERM and Ctrl-C \
      end it; the same again ends it at once. It logs who signs in, and what is done.

      At SIGHUP the command reads the file of --tokens again, and signs out whoever has a token that is gone. It is also read \
      when somebody signs in. Another certificate needs a restart.

      With --health, the command answers over HTTP at another address. GET /health and GET /ready are for supervisors: \
      `teller health` asks them. GET /metrics is for Prometheus.

      EXAMPLES:
        teller page
        teller page --listen 0.0.0.0:8443 --host jobs.example.org --tokens tokens --tls-certificate c.pem --tls-key k.pem
      """
  )

  @OptionGroup var page: PageServerOptions

  @Option(
    help: ArgumentHelp(
      """
      The address for /health, /ready and /metrics, such as 127.0.0.1:8084. With port 0 the system chooses a free port. \
      (default: none)
      """,
      valueName: "address"))
  var health: HealthAddress?

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    // Before everything else: until then SIGHUP ends the process.
    let hangups = await UnixSignalsSequence(trapping: .sighup)
    // Before the first metric is made.
    let metrics = health.map { _ in PrometheusMetrics.bootstrap() }
    let logger = global.logger("teller.page", level: .info)
    let broker = try global.connectionSettings()
    try broker.checkEncryption()
    let client = TellerClient(broker, name: "teller page", timeouts: .ofPage, logger: logger)
    let server = try PageServer(client, try page.settings(), logger: logger)
    let running = PageRun(client: client, server: server)
    do {
      try await StopSignals.run(drain: running.end) {
        async let _: Void = {
          // A file system that hangs holds up a thread of its own for a while.
          for await _ in hangups { try? await OneShot.onThread(named: "teller-reload") { server.reload() } }
        }()
        guard let health else { return try await running.run() }
        let healthServer = HealthServer(on: health, logger: logger, metrics: metrics) { server.health() }
        try await healthServer.run { try await running.run() }
      }
    } catch {
      throw Failure(ofPage: error)
    }
  }
}

/// The page and its client, which end together.
private final class PageRun: Sendable {
  private let client: TellerClient
  private let server: PageServer
  private let stop = OneShot<Void>()

  init(client: TellerClient, server: PageServer) { (self.client, self.server) = (client, server) }

  /// Ends the run.
  func end() { stop.fulfil(.success(())) }

  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      group.addTask { [client] in try await client.run() }
      group.addTask { [self] in
        try await server.run { try await self.stop.value }
      }
      // The page has ended; or the broker does not let its user in, and waiting does not help.
      try await group.next()
    }
  }
}

extension ClientTimeouts {
  /// A person waits in front of each question.
  fileprivate static var ofPage: ClientTimeouts {
    var timeouts = ClientTimeouts.forPeople
    // A service may start before its broker.
    timeouts.refused = nil
    return timeouts
  }
}

extension Failure {
  /// Why the page is not served, or no longer.
  fileprivate init(ofPage error: any Error) {
    switch error {
    case let error as PageServerError:
      switch error {
      case .cannotListen: self.init(.configuration, error.description)
      case .noResources: self.init(.noResources, error.description)
      case .ended: self.init(.internalError, error.description)
      }
    default: self.init(error)
    }
  }
}
