import ClientSupport
import JobModel
import Logging
import SystemSupport
import Teller
import Testing
import TestSupport

@Suite("A choice about an event, when the line is cut between the choice and its answer")
struct PlanChoiceTests {
  @Test("is carried out once, and its sender is told that it was")
  func cutLine() async throws {
    let (broker, event) = (try await BrokerNode.shared, JobID())
    let scene = try await OpeningScene(on: broker)
    try await scene.begin(workers: 1)
    let line = try TCPProxy(to: try BrokerPort.of(scene.system.brokerURL))
    let far = try await client(try BrokerPort.replaced(in: scene.system.brokerURL, by: line))
    let run = try await scene.open()
    _ = try await scene.system.outcomes(of: [run])
    try await far.send("push", id: event).accepted()
    #expect(try await scene.event(event).state == .announced)

    try await scene.endCoordinator()
    let choice = Task { try await far.acceptEvent(event) }
    try await eventually("the choice waits for a coordinator", within: TellerSystem.limit) {
      try await broker.queues(of: scene.system.brokerURL)["teller.submissions.2"]?.messages == 1
    }
    line.weather = .blackHole
    line.reset()
    try await scene.startCoordinator()
    try await eventually("the choice is carried out", within: TellerSystem.limit) {
      try await scene.event(event).state == .acted
    }
    line.weather = .clear
    let isDecided = try await limited("the answer") { try await choice.value }
    #expect(!isDecided, "nobody knows any more who has decided")

    _ = try await scene.system.outcomes(of: [event.description])
    try await scene.settle()
    #expect(scene.runs.count { $0.job == event.description } == 1)
    await far.close()
    line.close()
    try await scene.close()
  }

  private func client(_ url: String) async throws -> TellerClient {
    try await TellerClient.connect(
      TellerConfiguration(broker: url), timeouts: .patient,
      logger: Logger(label: "far", factory: { _ in SwiftLogNoOpLogHandler() }))
  }
}
