import Logging
import ServiceLifecycle
import TellerCoordinator
import UnixSignals

func runCoordinator(_ pager: any Pager, _ logger: Logger) async throws {
  let coordinator = try Coordinator(
    file: "/etc/teller/teller.yaml", ledger: "/var/lib/teller/ledger", logger: logger)
  coordinator.add(LifecycleLog(logger))
  coordinator.add(FailureAlarm(pager))
  let group = ServiceGroup(services: [coordinator], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
  try await group.run()
}

func reloadAtHangups(_ coordinator: Coordinator) async {
  for await _ in await UnixSignalsSequence(trapping: .sighup) { coordinator.reload() }
}
