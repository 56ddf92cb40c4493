import AMQP
import BrokerSupport
import Foundation
import JobTransport
import SystemSupport
import TestSupport
import Testing

/// An administrator sets a policy for all queues of the virtual host.
@Suite("A policy of the broker for all queues", .timeLimit(.minutes(20)))
struct PolicyTests {
  private func set(_ policy: String, of system: TellerSystem) async throws {
    let host = try BrokerURL(system.brokerURL).virtualHost
    try await BrokerNode.shared.ctl("set_policy", "-p", host, "--apply-to", "queues", "everything", ".*", policy)
  }

  /// The broker has all queues, and nobody serves. What a policy takes off the queue of a department is released again
  /// after a lease.
  private func withoutCoordinator() async throws -> TellerSystem {
    let system = try await TellerSystem.onSharedBroker(lease: TellerSystem.leaseOfTheDead)
    try await system.startCoordinator().close()
    return system
  }

  /// Submits jobs that the command calls safe.
  private func submitSafely(_ count: Int, to system: TellerSystem) async throws -> [String] {
    let ids = (0..<count).map { _ in UUID().uuidString.lowercased() }
    let batch = system.folder.appending("safe")
    let lines = ids.map { #"{"kind": "effect", "id": "\#($0)", "payload": {}}"# + "\n" }
    try Data(lines.joined().utf8).write(to: batch)
    let ended = try await system.run("teller", ["submit", "--batch", batch.path, "--within", "15s"])
    #expect(ended.status == 76, "\(ended)")
    return ids
  }

  private func messages(of queue: String, _ system: TellerSystem) async throws -> Int {
    try await BrokerNode.shared.queues(of: system.brokerURL)[queue]?.messages ?? 0
  }

  private func deadLetters(_ system: TellerSystem) async throws -> [String: Int] {
    let status = try await system.ask("status", "--json")
    let coordinator = status.objects.first?["coordinator"] as? [String: any Sendable]
    let counts = coordinator?["dead_letters"] as? [[String: any Sendable]] ?? []
    return counts.reduce(into: [:]) { found, entry in
      guard let queue = entry["queue"] as? String, let reason = entry["reason"] as? String else { return }
      found["\(queue) \(reason)"] = entry["count"] as? Int
    }
  }

  @Test("with message-ttl loses no submission that was called safe, and is warned of everywhere")
  func age() async throws {
    let system = try await withoutCoordinator()
    try await set(#"{"message-ttl":500}"#, of: system)
    let jobs = try await submitSafely(100, to: system)
    let coordinator = try await HealthyProcess(coordinatorOf: system)
    try await coordinator.becomes(ready: true)
    let worker = try await system.startWorker("work=8")
    try await system.expectOneOutcomeEach(jobs)
    let (queue, reason) = ("teller.submissions.2", "expired")
    #expect(try await deadLetters(system).keys.contains("\(queue) \(reason)"))
    try await coordinator.process.waitForLine(containing: "message-ttl", within: TellerSystem.limit)
    #expect("\(try await coordinator.ask().answer)".contains("of \(queue): \(reason)"))
    let lines = try await system.ask("status").lines
    #expect(lines.contains { $0.hasPrefix("taken back") && $0.hasSuffix("of \(queue): \(reason)") })
    for process in [worker, coordinator.process] { try await process.close() }
  }

  @Test("with delivery-limit loses no submission, however often it was handed out")
  func returns() async throws {
    let system = try await withoutCoordinator()
    try await set(#"{"delivery-limit":3}"#, of: system)
    let jobs = try await submitSafely(50, to: system)
    for _ in 0..<4 {
      let connection = try await Connection.patient(to: system.brokerURL)
      let consumer = try await connection.consume(
        Topology.Queue.submissions, options: ConsumeOptions(prefetch: 1_000))
      var count = 0
      while count < jobs.count {
        let batch = try await limited("submissions") { await consumer.nextBatch(atMost: 64) }
        // A batch of one command is one message, or some.
        count += (batch ?? []).reduce(0) { $0 + (SubmissionCodec.unpack($1)?.submissions.count ?? 1) }
      }
      await connection.close()
    }
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=8")
    try await system.expectOneOutcomeEach(jobs)
    #expect(try await deadLetters(system).keys.contains("teller.submissions.2 delivery_limit"))
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("with message-ttl loses no report: what has run while nobody served does not run again")
  func reports() async throws {
    let system = try await TellerSystem.onSharedBroker(lease: TellerSystem.leaseOfTheDead)
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=8")
    let jobs = try await system.submit(8, #"{"kind": "gate"}"#)
    try await eventually("the jobs run", within: TellerSystem.limit) { system.effects.count == jobs.count }
    try await coordinator.close()
    try await set(#"{"message-ttl":300}"#, of: system)
    let before = try await messages(of: "teller.dead-letters", system)
    try system.openGate()
    try await eventually("the reports are dead letters", within: TellerSystem.limit) {
      let dead = try await self.messages(of: "teller.dead-letters", system)
      let alive = try await self.messages(of: "teller.reports.2", system)
      return dead > before && alive == 0
    }
    let again = try await system.startCoordinator()
    try await system.expectOneOutcomeEach(jobs)
    system.expectSecondRunsOnly(after: [])
    #expect(try await deadLetters(system).keys.contains("teller.reports.2 expired"))
    for process in [worker, again] { try await process.close() }
  }

  @Test("with message-ttl: the jobs in the queue of a department are released again, and the queue is named")
  func departments() async throws {
    let system = try await TellerSystem.onSharedBroker(lease: "5s")
    let coordinator = try await system.startCoordinator()
    try await set(#"{"message-ttl":100}"#, of: system)
    let jobs = try await system.submit(5, #"{"kind": "effect", "payload": {}}"#)
    try await eventually("the queue is named", within: TellerSystem.limit) {
      try await self.deadLetters(system)["teller.department.work lost"] != nil
    }
    let worker = try await system.startWorker("work=8")
    try await system.expectOneOutcomeEach(jobs)
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("with max-length and drop-head: what the broker dropped last comes back, and the policy is warned of")
  func length() async throws {
    let system = try await withoutCoordinator()
    try await set(#"{"max-length":3,"overflow":"drop-head"}"#, of: system)
    let connection = try await Connection.patient(to: system.brokerURL)
    let jobs = (0..<6).map { _ in UUID().uuidString.lowercased() }
    for job in jobs {
      let message = Publishing(
        exchange: Topology.Exchange.submit, routingKey: "",
        properties: MessageProperties(messageID: job, type: "effect"), body: Array("{}".utf8))
      #expect(try await connection.publish(message) == .confirmed)
    }
    await connection.close()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=8")
    try await system.expectOneOutcomeEach(jobs)
    #expect(try await deadLetters(system)["teller.submissions.2 maxlen"] == 3)
    try await coordinator.waitForLine(containing: "messages are lost", within: TellerSystem.limit)
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("with expires: a coordinator that finds its queues gone says so everywhere")
  func expires() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let first = try await system.startCoordinator()
    let worker = try await system.startWorker("work=1")
    try await system.expectOneOutcomeEach(try await system.submit(1, #"{"kind": "effect", "payload": {}}"#))
    for process in [worker, first] { try await process.close() }
    try await set(#"{"expires":3000}"#, of: system)
    try await eventually("the queue is gone", within: TellerSystem.limit) {
      try await BrokerNode.shared.queues(of: system.brokerURL)["teller.submissions.2"] == nil
    }
    try await BrokerNode.shared.ctl(
      "clear_policy", "-p", try BrokerURL(system.brokerURL).virtualHost, "everything")
    let coordinator = try await HealthyProcess(coordinatorOf: system)
    try await coordinator.becomes(ready: true)
    #expect(
      coordinator.process.text(of: .standardError).contains {
        $0.contains("a queue is not there any more") && $0.contains("teller.submissions.2")
      })
    try await expectMissing("teller.submissions.2", system, coordinator)
    try await coordinator.process.close()
  }

  /// What says beside the log that a queue was gone.
  private func expectMissing(
    _ queue: String, _ system: TellerSystem, _ coordinator: HealthyProcess
  ) async throws {
    #expect("\(try await coordinator.ask().answer)".contains("a queue is not there any more"))
    #expect(try await deadLetters(system)["\(queue) missing"] == 1)
    let lines = try await system.ask("status").lines
    #expect(lines.contains { $0.hasPrefix("missing     \(queue)") }, "\(lines)")
    let metric = "teller_dead_letters_total{queue=\"\(queue)\",reason=\"missing\"} 1\n"
    #expect(try await coordinator.metrics().contains(metric))
    let findings = try await system.teller("doctor", "--json").objects
    #expect(
      findings.contains {
        $0["area"] as? String == "policies" && $0["state"] as? String == "wrong"
          && ($0["text"] as? String)?.contains("\(queue) was gone") == true
      }, "\(findings)")
  }
}

@Suite("The queues of an earlier version")
struct RetiredQueueTests {
  /// The queue as that version declared it, bound as it was.
  private func declare(
    _ queue: Topology.RetiredQueue, holding limit: Int = 200_000, on connection: Connection
  ) async throws {
    var arguments = QueueArguments(type: .quorum)
    arguments.deliveryLimit = 1_000_000
    arguments.singleActiveConsumer = true
    if queue.contents == .submissions { (arguments.overflow, arguments.maxLength) = (.rejectPublish, limit) }
    try await connection.declare(QueueDeclaration(queue.name, arguments: arguments))
    let reports = queue.contents == .reports
    try await connection.bind(
      queue: queue.name, exchange: reports ? Topology.Exchange.reports : Topology.Exchange.submit,
      routingKey: reports ? Topology.RoutingKey.reports : Topology.RoutingKey.submit)
  }

  @Test("are read, and deleted; nothing that waited in them is lost, or runs twice")
  func moved() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let connection = try await Connection.patient(to: system.brokerURL)
    for exchange in Topology.exchanges { try await connection.declare(exchange) }
    for queue in Topology.retired { try await declare(queue, on: connection) }
    let jobs = (0..<300).map { _ in UUID().uuidString.lowercased() }
    let results = try await connection.publish(
      contentsOf: jobs.map(submission))
    #expect(results.allSatisfy { $0 == .confirmed })
    let worker = try system.launchWorker(["work=8"])
    let coordinator = try await system.startCoordinator()
    try await system.expectOneOutcomeEach(jobs)
    system.expectSecondRunsOnly(after: [])
    try await eventually("the queues are gone", within: TellerSystem.limit) {
      let queues = try await BrokerNode.shared.queues(of: system.brokerURL)
      return Topology.retired.allSatisfy { queues[$0.name] == nil }
    }
    try await coordinator.close()
    let second = try await system.startCoordinator()
    #expect(!second.text(of: .standardError).contains { $0.contains("earlier version") })
    for process in [worker, second] { try await process.close() }
    await connection.close()
  }

  private func submission(_ job: String) -> Publishing {
    Publishing(
      exchange: Topology.Exchange.submit, routingKey: "",
      properties: MessageProperties(messageID: job, type: "effect"), body: Array("{}".utf8))
  }

  @Test("are read also when they are so full that they take nothing")
  func full() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let connection = try await Connection.patient(to: system.brokerURL)
    for exchange in Topology.exchanges { try await connection.declare(exchange) }
    for queue in Topology.retired { try await declare(queue, holding: 100, on: connection) }
    var safe: [String] = []
    var isFull = false
    while !isFull {
      let job = UUID().uuidString.lowercased()
      if try await connection.publish(submission(job)) == .confirmed { safe.append(job) } else { isFull = true }
    }
    #expect(safe.count >= 100)
    let worker = try system.launchWorker(["work=8"])
    let coordinator = try await system.startCoordinator()
    try await system.expectOneOutcomeEach(safe)
    try await eventually("the queues are gone", within: TellerSystem.limit) {
      let queues = try await BrokerNode.shared.queues(of: system.brokerURL)
      return Topology.retired.allSatisfy { queues[$0.name] == nil }
    }
    for process in [worker, coordinator] { try await process.close() }
    await connection.close()
  }
}
