import Hummingbird
import InMemoryTracing
import Logging
import ServiceLifecycle
import Teller
import TellerHealth
import Tracing

/// A web server that hands work to Teller, and does the work itself: a client and a worker beside the server, in one group.
@main
struct Server {
  static func main() async throws {
    let logger = Logger(label: "server")
    // A real server has a tracer that sends its spans away; this one can be asked for them.
    let tracer = InMemoryTracer()
    InstrumentationSystem.bootstrap(tracer)
    let metrics = PrometheusMetrics.bootstrap()

    let configuration = try TellerConfiguration.load()
    let client = TellerClient(configuration, name: "server", logger: logger)
    let worker = Worker(configuration, departments: ["counter": 4], logger: logger)
    worker.register(Deposit())
    worker.onFailure { failed in
      logger.critical("to be looked at", metadata: ["job": "\(failed.job.id)", "error": "\(failed.error)"])
    }

    let application = Application(
      router: router(client, tracer, metrics), configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { logger.notice("http://127.0.0.1:\($0.localAddress?.port ?? 0)") }, logger: logger)
    // Started in this order, and stopped in the other: first nobody asks, then what runs ends, then the client leaves.
    // After `teller drain` of its worker the server goes on without a worker.
    let group = ServiceGroup(
      configuration: .init(
        services: [
          .init(service: client), .init(service: worker, successTerminationBehavior: .ignore),
          .init(service: application),
        ], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
    try await group.run()
    logger.notice("drained")
  }

  private static func router(
    _ client: TellerClient, _ tracer: InMemoryTracer, _ metrics: PrometheusMetrics
  ) -> Router<BasicRequestContext> {
    let router = Router()
    router.get("metrics") { _, _ in metrics.text }
    router.get("spans") { _, _ in
      tracer.finishedSpans.map { "\($0.spanContext.traceID) \($0.operationName)\n" }.joined()
    }
    // Only what comes in by this group is traced.
    router.group().add(middleware: TracingMiddleware()).post("deposits/:account/:cents") { _, context in
      let payload = Deposit.Payload(
        account: try context.parameters.require("account"),
        cents: try context.parameters.require("cents", as: Int.self))
      let deposit = try await client.submit(Deposit.self, payload, department: "counter")
      return "\(try await deposit.value(timeout: .seconds(30)).balance)\n"
    }
    return router
  }
}

/// Books money on an account.
struct Deposit: JobHandler {
  static let kind: JobKind = "deposit"
  static let policy = HandlerPolicy(attempts: 5, timeout: .seconds(10))

  struct Payload: Codable, Sendable {
    var account: String
    var cents: Int
  }

  struct Output: Codable, Sendable { var balance: Int }

  func run(context: JobContext<Payload>) async throws -> Output {
    context.logger.info("books \(context.payload.cents) on \(context.payload.account)")
    try await Task.sleep(for: .milliseconds(context.payload.cents))
    return Output(balance: 1_000 + context.payload.cents)
  }
}
