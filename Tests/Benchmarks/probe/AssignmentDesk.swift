import AMQP
import JobTransport
import Teller

/// Plays the coordinator towards one worker: releases jobs, and welcomes the worker. It records nothing.
struct AssignmentDesk {
  static let department: Department = "bench"
  /// How many assignments are published at a time.
  private static let batch = 1_000

  private struct NotTaken: Error {}

  let connection: Connection
  private let ledger: LedgerID
  private let presences: Consumer

  /// Declares what a coordinator declares, and publishes the jobs.
  static func open(_ configuration: TellerConfiguration, jobs: Int) async throws -> AssignmentDesk {
    let options = ConnectionOptions(name: "benchprobe desk")
    let connection = try await Connection.open(configuration.brokerURL, options: options)
    try await Topology.declareAll(on: connection, departments: [department])
    let presences = try await connection.consume(Topology.Queue.presence, options: ConsumeOptions(prefetch: 100))
    let desk = AssignmentDesk(connection: connection, ledger: LedgerID(), presences: presences)
    for first in stride(from: 0, to: jobs, by: batch) { try await desk.publish(min(batch, jobs - first)) }
    return desk
  }

  private func publish(_ count: Int) async throws {
    let messages = (0..<count).map { _ in
      AssignmentCodec.encode(
        Assignment(
          release: ReleaseID(job: JobID(), number: 1), token: 1, ledger: ledger, epoch: 1, kind: "nothing",
          department: AssignmentDesk.department, priority: .normal, attempt: 1, maxAttempts: 3, mustClaim: false,
          releasedAt: Timestamp(milliseconds: 3_600_000), timeout: nil,
          content: JobContent(payload: Array("{}".utf8), contentType: "application/json")))
    }
    guard try await connection.publish(contentsOf: messages).allSatisfy({ $0 == .confirmed }) else { throw NotTaken() }
  }

  /// Waits for a worker that asks to be welcomed, and welcomes it.
  func welcome() async throws {
    while let delivery = await presences.nextBatch(atMost: 1)?.first {
      try await connection.ack(delivery.deliveryTag)
      guard case .presence(let presence) = PresenceCodec.decode(delivery), presence.ledger == nil else { continue }
      let welcome = Welcome(
        ledger: ledger, epoch: 1, session: presence.session, departments: [AssignmentDesk.department], unknown: [],
        refusal: nil, staffing: Staffing(), void: [], ended: [], retries: [:], sentMs: presence.sentMs, atMs: 0)
      for message in ControlCodec.encode(welcome, to: presence.worker) { try await connection.publish(message) }
      return
    }
  }

  func close() async { await connection.close() }
}
