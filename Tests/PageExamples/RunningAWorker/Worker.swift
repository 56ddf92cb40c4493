import Logging
import ServiceLifecycle
import Teller
import TellerHealth

func runOnlyAWorker(_ accounts: any Accounts) async throws {
  let worker = Worker(try TellerConfiguration.load(), departments: ["deposit": 4, "loan": 2])
  worker.register(Deposit(accounts: accounts))
  try await worker.runService()
}

func runServer(_ server: any Service, _ accounts: any Accounts, _ logger: Logger) async throws {
  let configuration = try TellerConfiguration.load()
  let client = TellerClient(configuration, name: "server", logger: logger)
  let worker = Worker(configuration, departments: ["deposit": 4], logger: logger)
  worker.register(Deposit(accounts: accounts))
  let group = ServiceGroup(
    configuration: .init(
      services: [
        .init(service: client),
        .init(service: worker, successTerminationBehavior: .ignore),
        .init(service: server),
      ], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
  try await group.run()
}

func runWithHealth(_ configuration: TellerConfiguration, _ accounts: any Accounts) async throws {
  guard let address = HealthAddress("127.0.0.1:8082") else { return }
  let metrics = PrometheusMetrics.bootstrap()
  let worker = Worker(configuration, departments: ["deposit": 4])
  worker.register(Deposit(accounts: accounts))
  try await HealthServer(worker, on: address, metrics: metrics).run { try await worker.runService() }
}

func isReady(_ worker: Worker) async -> Bool {
  let report = await worker.health()
  for check in report.checks where !check.isOK { print(check.name, check.detail) }
  return report.isReady
}

func workerForLongJobs(_ configuration: TellerConfiguration) -> Worker {
  var timeouts = WorkerTimeouts()
  timeouts.adoptAfter = .seconds(120)
  return Worker(configuration, departments: ["video": 1], timeouts: timeouts)
}
