import AuditSupport
import TestSupport
import Testing

/// Real processes and real brokers, harmed in every way that is known, while jobs are submitted all the time; afterwards
/// everything that was promised is looked for. The table of what holds is printed at the end.
///
/// Within a part one fault comes after the other; the parts run beside each other, because most of their time is waiting
/// for a lease.
@Suite("Through a fault", .showsTable)
struct FaultTests {
  /// What harms no broker shares one.
  static var shared: BrokerNode {
    get async throws { try await BrokerNode.shared }
  }

  @Suite("of a worker", .serialized)
  struct OfAWorker {
    @Test(
      "everything holds",
      arguments: [
        Fault.workerKilled,
        .workersDie(at: ["worker.handler-started", "worker.before-report", "worker.after-report-before-ack"]),
        .workerFrozen, .workerTerminated,
      ])
    func holds(through fault: Fault) async throws { try await Trial.run(fault, on: try await FaultTests.shared) }
  }

  @Suite("of a job", .serialized)
  struct OfAJob {
    @Test("everything holds", arguments: [Fault.hanging, .flood])
    func holds(through fault: Fault) async throws { try await Trial.run(fault, on: try await FaultTests.shared) }
  }

  /// By itself: it waits for one lease after the other.
  @Suite("of a poison job", .serialized)
  struct OfAPoison {
    @Test("everything holds", arguments: [Fault.poison])
    func holds(through fault: Fault) async throws { try await Trial.run(fault, on: try await FaultTests.shared) }
  }

  @Suite("of a coordinator", .serialized)
  struct OfACoordinator {
    @Test("everything holds", arguments: [Fault.coordinatorKilled, .coordinatorFrozen, .coordinatorTerminated])
    func holds(through fault: Fault) async throws { try await Trial.run(fault, on: try await FaultTests.shared) }
  }

  @Suite("of a coordinator, at a point of the flow", .serialized)
  struct AtAPoint {
    @Test(
      "everything holds",
      arguments: [
        Fault.coordinatorDies(at: "early.after-record"), .coordinatorDies(at: "intake.before-record"),
        .coordinatorDies(at: "intake.after-record-before-ack"),
        .coordinatorDies(at: "releaser.before-publish"), .coordinatorDies(at: "releaser.after-confirm"),
        .coordinatorDies(at: "recorder.before-record"), .coordinatorDies(at: "recorder.after-record-before-ack"),
      ])
    func holds(through fault: Fault) async throws { try await Trial.run(fault, on: try await FaultTests.shared) }
  }

  @Suite("of a coordinator, between two steps", .serialized)
  struct BetweenSteps {
    @Test(
      "everything holds",
      arguments: [
        Fault.notifierDies, .coordinatorDiesGranting(at: "claims.granted-before-record"),
        .coordinatorDiesGranting(at: "claims.after-record-before-answer"),
        .coordinatorDiesAdopting(at: "adoption.before-record"),
        .coordinatorDiesAdopting(at: "adoption.after-record-before-answer"), .coordinatorDiesBetweenSteps,
        .coordinatorDiesCommanded,
      ])
    func holds(through fault: Fault) async throws { try await Trial.run(fault, on: try await FaultTests.shared) }
  }

  @Suite("of a ledger", .serialized)
  struct OfALedger {
    @Test("everything holds", arguments: [Fault.ledgerFull, .ledgerLocked])
    func holds(through fault: Fault) async throws { try await Trial.run(fault, on: try await FaultTests.shared) }
  }

  @Suite("of a queue", .serialized)
  struct OfAQueue {
    @Test("everything holds", arguments: [Fault.connectionsClosed, .queuePurged, .queueDeleted])
    func holds(through fault: Fault) async throws { try await Trial.run(fault, on: try await FaultTests.shared) }
  }

  @Suite("of a line that is cut", .serialized)
  struct OfACutLine {
    @Test("everything holds", arguments: [Fault.lineReset, .lineBlackHole, .workerUnreachable])
    func holds(through fault: Fault) async throws { try await Trial.run(fault, on: try await FaultTests.shared) }
  }

  @Suite("of a line that is bad", .serialized)
  struct OfABadLine {
    @Test("everything holds", arguments: [Fault.lineSplits, .lineDelays, .lineFlips])
    func holds(through fault: Fault) async throws { try await Trial.run(fault, on: try await FaultTests.shared) }
  }

  /// Beside each other: most of their time the clock stays as it was set.
  @Suite("of a clock")
  struct OfAClock {
    @Test(
      "everything holds",
      arguments: [Fault.clock(of: .coordinator), .clock(of: .workers), .clock(of: .client)])
    func holds(through fault: Fault) async throws { try await Trial.run(fault, on: try await FaultTests.shared) }
  }

  @Suite("of a machine", .serialized)
  struct OfAMachine {
    @Test("everything holds", arguments: [Fault.everybodyFrozen])
    func holds(through fault: Fault) async throws {
      let broker = try await BrokerNode.start()
      try await Trial.run(fault, on: broker)
      try await broker.close()
    }
  }

  @Suite("of a broker", .serialized)
  struct OfABroker {
    private static let broker = Task { try await BrokerNode.start() }

    @Test(
      "everything holds",
      arguments: [Fault.brokerKilled, .everybodyKilled, .brokerWiped, .brokerFrozen])
    func holds(through fault: Fault) async throws { try await Trial.run(fault, on: try await Self.broker.value) }
  }

  @Suite("of a broker that serves nobody", .serialized)
  struct OfADeafBroker {
    private static let broker = Task { try await BrokerNode.start() }

    @Test(
      "everything holds",
      arguments: [Fault.brokerStopped, .memoryAlarm, .killedInAlarm, .diskAlarm, .terminatedInSilence])
    func holds(through fault: Fault) async throws { try await Trial.run(fault, on: try await Self.broker.value) }
  }
}
