import Logging
import Teller

/// Where alarms go.
protocol Pager: Sendable {
  func ring(_ text: String) async throws
}

actor FailureAlarm: HostedService {
  private let pager: any Pager
  private var failures = 0

  init(_ pager: any Pager) { self.pager = pager }

  func jobEnded(_ end: HostedJobEnd) async throws {
    guard end.result == .failed || end.result == .timeout else { return }
    failures += 1
    if failures == 100 { try await pager.ring("100 failures, the last one of kind \(end.job.kind)") }
  }
}

/// Tells a load balancer whether this process is to get work.
struct Registration: HostedService {
  let directory: any Directory

  func opened() async throws { try await directory.add() }
  func paused() async throws { try await directory.remove() }
  func resumed() async throws { try await directory.add() }
  func draining() async throws { try await directory.remove() }
}

protocol Directory: Sendable {
  func add() async throws
  func remove() async throws
}

func runWithServices(
  _ configuration: TellerConfiguration, _ accounts: any Accounts, _ pager: any Pager, _ directory: any Directory,
  _ logger: Logger
) async throws {
  let worker = Worker(configuration, departments: ["deposit": 4])
  worker.register(Deposit(accounts: accounts))
  worker.add(LifecycleLog(logger, level: .debug))
  worker.add(FailureAlarm(pager))
  worker.add(Registration(directory: directory))
  try await worker.runService()
}

struct Notices: HostedService {
  let announced: AsyncStream<EventStatus>.Continuation

  func received(_ event: EventStatus) async throws {
    if event.state == .announced { announced.yield(event) }
  }

  func stopped() async throws { announced.finish() }
}

func acceptWhatIsAnnounced(
  _ client: TellerClient, _ logger: Logger, agrees: @Sendable (EventStatus) async -> Bool
) async {
  let (announced, notices) = AsyncStream.makeStream(of: EventStatus.self, bufferingPolicy: .bufferingNewest(100))
  client.add(Notices(announced: notices))
  for await event in announced {
    guard await agrees(event) else { continue }
    do {
      try await client.acceptEvent(event.id)
    } catch {
      logger.warning("event \(event.id) is not accepted: \(error)")
    }
  }
}

func measureLife(_ client: TellerClient) {
  client.add(LifecycleMetrics(of: "client"))
}
