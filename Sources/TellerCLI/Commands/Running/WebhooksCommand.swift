import ArgumentParser
import CoordinatorSettings
import Decisions
import Foundation
import Logging
import Teller
import TellerHealth
import UnixSignals
import Webhooks

struct WebhooksCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "webhooks",
    abstract: "Delivers notifications to the webhooks of teller.yaml, until it is told to stop.",
    discussion: """
      A webhook NAME under `webhooks:` is a department webhook-NAME. The command serves these departments, as a worker \
      does: `teller jobs`, `explain`, `failed`, `replay`, `pause` and `resume` are for deliveries, too. A receiver that is \
      slow or away delays no other one. Several processes share the work.

      The coordinator must have read the same `webhooks:`. So reload the coordinator first.

        signal              the command
        SIGTERM, Ctrl-C     ends the deliveries that are under way, and ends
        the same again      ends at once
        SIGHUP              reads teller.yaml and the files of secrets again

      After SIGHUP the deliveries under way end as they began, and all others are made as the file says now. When the file \
      has mistakes, nothing changes, and the log has each mistake with its line.

      The command logs to standard error, one line for each event. No line has a secret, or the path of an address.

      With --health, the command answers over HTTP. GET /health and GET /ready are for supervisors: `teller health` asks \
      them. GET /metrics is for Prometheus.

      EXAMPLE: teller webhooks --config teller.yaml --health 127.0.0.1:8083
      """
  )

  @Option(
    help: ArgumentHelp(
      """
      The address for /health, /ready and /metrics, such as 127.0.0.1:8083. With port 0 the system chooses a free port. \
      (default: none)
      """,
      valueName: "address"))
  var health: HealthAddress?

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    // Before everything else: until then SIGHUP ends the process.
    let hangups = await UnixSignalsSequence(trapping: .sighup)
    let loaded: (settings: ProcessSettings, webhooks: [Webhook])
    do throws(WrongSettings) { loaded = try load(global.config) } catch { throw error.told() }
    if let note = loaded.settings.noteOnUnusedKeys { Output.note(note) }
    // Before the first metric is made.
    let metrics = health.map { _ in PrometheusMetrics.bootstrap() }
    let logger = global.logger("teller.webhooks", level: .info)
    let file = loaded.settings.file
    let service = WebhookService(loaded.settings.broker, webhooks: loaded.webhooks, logger: logger) {
      await reload(file, logger)
    }
    do {
      try await StopSignals.run(drain: service.drain) {
        async let _: Void = { for await _ in hangups { service.reload() } }()
        guard let health else { return try await service.run() }
        let server = HealthServer(on: health, logger: logger, metrics: metrics) { await service.health() }
        try await server.run { try await service.run() }
      }
    } catch {
      throw Failure(ofWebhooks: error)
    }
  }

  private func load(_ file: String?) throws(WrongSettings) -> (settings: ProcessSettings, webhooks: [Webhook]) {
    try ProcessSettings.webhooks(broker: global.broker, file: file, isPlaintextAllowed: global.insecure)
  }

  /// The webhooks of the file as it is now; nil: nothing changes, and the log says why. The broker stays as it was.
  private func reload(_ file: String?, _ logger: Logger) async -> [Webhook]? {
    do {
      // A file system that hangs holds up a thread of its own for a while.
      return try await OneShot.onThread(named: "teller-reload") { try load(file).webhooks }
    } catch let wrong as WrongSettings {
      for line in wrong.lines { logger.error("\(line.onOneLine)") }
      logger.error("nothing is changed: \(wrong.summary)")
    } catch {
      if !(error is CancellationError) { logger.error("nothing is changed: \(error)") }
    }
    return nil
  }
}

extension Failure {
  /// Why webhooks are not delivered, or no longer.
  fileprivate init(ofWebhooks error: any Error) {
    switch error {
    case WorkerError.broker(let error): self.init(error)
    case WorkerError.unknownDepartments:
      self.init(.configuration, "\(error); or reload the coordinator, which must have read the same `webhooks:`")
    case WorkerError.notAllowed(let reason): self.init(.rejected, reason)
    case let error as TooFewDescriptors: self.init(.noResources, error.description)
    case WorkerError.stoppedAtOnce: self.init(.interrupted, "\(error)")
    default: self.init(error)
    }
  }
}
