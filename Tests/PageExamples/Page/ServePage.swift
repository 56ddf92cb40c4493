import Logging
import ServiceLifecycle
import Teller
import TellerPage

func servePage(with screen: PageScreen, _ logger: Logger) async throws {
  let client = TellerClient(try TellerConfiguration.load(), name: "page", logger: logger)
  let page = try PageServer(client, PageSettings.load(), screens: [screen], logger: logger)
  let group = ServiceGroup(services: [client, page], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
  try await group.run()
}
