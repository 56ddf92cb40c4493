import Foundation
import Teller
import TellerHealth

@main
struct Main {
  static func main() async {
    do {
      let arguments = CommandLine.arguments.dropFirst()
      if arguments.first == "submit" { try await submit(arguments.dropFirst()) } else { try await serve() }
    } catch {
      BufferedLog.write("greeter: \(error)")
      exit(1)
    }
  }

  /// Runs jobs until SIGTERM or Ctrl-C. The jobs that run then are finished first.
  private static func serve() async throws {
    BufferedLog.bootstrap()  // before the first logger
    let metrics = PrometheusMetrics.bootstrap()  // before the worker makes its metrics
    let worker = Worker(try TellerConfiguration.load(), departments: ["greeter": 4])  // four jobs at once
    worker.register(Greet())
    let health = HealthServer(worker, on: try healthAddress(), metrics: metrics)
    try await health.run { try await worker.runService() }
  }

  private static func healthAddress() throws -> HealthAddress {
    let text = ProcessInfo.processInfo.environment["HEALTH_ADDRESS"] ?? "127.0.0.1:8082"
    if let address = HealthAddress(text) { return address }
    throw ConfigurationError.invalidSetting(source: "HEALTH_ADDRESS", problem: "\"\(text)\" is not HOST:PORT")
  }
}
