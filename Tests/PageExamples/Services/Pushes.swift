import Logging
import ServiceLifecycle
import Teller

func receivePushes(_ client: TellerClient, _ pushes: AsyncStream<Push>) {
  client.add(PushReceiver(pushes) { push in try await client.send(push) })
}

func webhook(_ client: TellerClient) -> Webhook {
  let receiver = PushReceiver { push in try await client.send(push) }
  client.add(receiver)
  return Webhook(receiver: receiver)
}

/// A server calls it for each push that comes.
struct Webhook: Sendable {
  enum Status: Sendable { case accepted, serviceUnavailable }

  let receiver: PushReceiver<AsyncStream<Push>>

  func take(_ push: Push) async -> Status {
    guard await receiver.receive(push) else { return .serviceUnavailable }
    return .accepted
  }
}

/// The closure's own error for a push that nobody will ever take.
struct UnknownCustomer: PushRefusal { let isFinalRefusal = true }

func runWorkerWithPushes(
  _ configuration: TellerConfiguration, _ accounts: any Accounts, _ pushes: AsyncStream<Push>, _ logger: Logger
) async throws {
  let client = TellerClient(configuration, name: "pushes", logger: logger)
  let worker = Worker(configuration, departments: ["deposit": 4], logger: logger)
  worker.register(Deposit(accounts: accounts))
  worker.add(PushReceiver(pushes) { push in try await client.send(push) })
  let group = ServiceGroup(
    configuration: .init(
      services: [
        .init(service: client),
        .init(service: worker, successTerminationBehavior: .gracefullyShutdownGroup),
      ], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
  try await group.run()
}
