import AMQP
import BrokerSupport
import Foundation
import JobModel
import JobTransport
import SystemSupport
import TestSupport
import Testing

/// Real processes on a broker that refuses one thing: only that one is affected, it is named with the broker's words, and it
/// heals by itself.
@Suite("What a broker refuses", .timeLimit(.minutes(10)))
struct BrokerRefusalTests {
  /// Far below the broker's own.
  private static let limit = 40_000
  private static let node = Task {
    try await BrokerNode.start(settings: ["max_message_size = \(limit)", "frame_max = 16384", "channel_max = 2"])
  }

  private func system(departments: String = "work: {}, other: {}", more: String = "") async throws -> TellerSystem {
    try TellerSystem(
      brokerURL: try await Self.node.value.makeVirtualHost(), departments: departments, more: more)
  }

  @Test("a rule's job above max_message_size fails with the broker's words, and nobody else notices")
  func largeJob() async throws {
    let text = String(repeating: "x", count: 60_000)
    let rule = "  big: {on: {event: succeeded, kind: echo}, submit: {kind: noop, payload: {text: \"\(text)\"}}}\n"
    let system = try await system(more: "rules:\n\(rule)")
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=2", "other=1")
    let causes = try await system.submit(3, #"{"kind": "echo", "payload": 1}"#)
    _ = try await system.outcomes(of: causes)
    var failed: [String] = []
    try await eventually("the jobs of the rule have failed", within: TellerSystem.limit) {
      let listed = try await system.ask("jobs", "--kind", "noop", "--state", "failed", "--json")
      failed = listed.objects.compactMap { $0["id"] as? String ?? $0["job"] as? String }
      return failed.count == 3
    }
    let shown = try await system.ask("show", try #require(failed.first))
    let words = shown.lines.joined(separator: "\n")
    #expect(words.contains("unpublishable") && words.contains("\(Self.limit)"), "\(words)")
    let others = try await system.submit(20, #"{"kind": "noop"}"#)
    #expect(Set(try await system.outcomes(of: others).values) == ["succeeded"])
    let log = coordinator.text(of: .standardError)
    #expect(log.count { $0.contains(" serving") } == 1, "it has not lost its connection: \(log)")
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("a submission above the limit ends at once with what the limit is, and the others of its batch are done")
  func largeSubmission() async throws {
    let system = try await system()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=2")
    func line(_ size: Int) -> String {
      #"{"kind": "noop", "payload": {"text": ""# + String(repeating: "x", count: size) + "\"}}\n"
    }
    let alone = system.folder.appending("alone")
    try Data(line(500_000).utf8).write(to: alone)
    let single = try await system.run("teller", ["submit", "--batch", alone.path, "--within", "15s"])
    #expect(single.status == 2, "\(single)")
    #expect(single.errors.joined().contains("\(Self.limit)"), "\(single.errors)")
    let batch = system.folder.appending("batch")
    try Data([10, 500_000, 20, 400_000, 30].map(line).joined().utf8).write(to: batch)
    let mixed = try await system.run("teller", ["submit", "--batch", batch.path, "--wait", "--within", "100s"])
    #expect(mixed.status == 2, "\(mixed)")
    #expect(mixed.errors.contains { $0.contains("line 2") } && mixed.errors.contains { $0.contains("line 4") })
    let done = try await system.ask("jobs", "--kind", "noop", "--state", "succeeded", "--json")
    #expect(done.objects.count == 3)
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("a queue with other arguments takes out its department alone, with the reason, until it is gone")
  func inequivalentQueue() async throws {
    let system = try await system()
    let connection = try await Connection.patient(to: system.brokerURL)
    try await connection.declare(QueueDeclaration(Topology.Queue.department("other")))
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=2")
    let out = try await system.submit(2, #"{"kind": "noop", "department": "other"}"#)
    let served = try await system.submit(5, #"{"kind": "noop"}"#)
    #expect(Set(try await system.outcomes(of: served).values) == ["succeeded"])
    let status = try await system.ask("status")
    #expect(status.lines.contains { $0.contains("other") && $0.contains("inequivalent") }, "\(status.lines)")
    let reasons = try await system.ask("explain", out[0])
    #expect(reasons.lines.joined().contains("inequivalent"), "\(reasons.lines)")
    #expect(coordinator.text(of: .standardError).count { $0.contains(" serving") } == 1)
    try await connection.delete(queue: Topology.Queue.department("other"))
    await connection.close()
    try await coordinator.waitForLine(containing: "takes the queue of a department again", within: TellerSystem.limit)
    let second = try await system.startWorker("other=1")
    #expect(Set(try await system.outcomes(of: out).values) == ["succeeded"])
    for process in [worker, second, coordinator] { try await process.close() }
  }

  @Test("a queue that a policy keeps short takes out its department alone, and gets every job in the end")
  func shortQueue() async throws {
    let node = try await Self.node.value
    let system = try await system()
    let host = try #require(URL(string: system.brokerURL)?.lastPathComponent)
    try await node.ctl(
      "set_policy", "-p", host, "short", "^teller.department.other$",
      #"{"max-length":2,"overflow":"reject-publish"}"#, "--apply-to", "queues")
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=2")
    let short = try await system.submit(12, #"{"kind": "noop", "department": "other"}"#)
    let served = try await system.submit(5, #"{"kind": "noop"}"#)
    #expect(Set(try await system.outcomes(of: served).values) == ["succeeded"])
    try await eventually("the department is out, with the reason", within: TellerSystem.limit) {
      let status = try await system.ask("status")
      return status.lines.contains { $0.contains("other") && $0.contains("takes no further message") }
    }
    #expect(coordinator.text(of: .standardError).count { $0.contains(" serving") } == 1)
    try await node.ctl("clear_policy", "-p", host, "short")
    let second = try await system.startWorker("other=1")
    #expect(Set(try await system.outcomes(of: short).values) == ["succeeded"], "\(system.logs)")
    for process in [worker, second, coordinator] { try await process.close() }
  }

  @Test("the queue of a kind that a worker's user may not read is left out alone, with the reason, until the user may")
  func unreadableKind() async throws {
    let system = try await system()
    let coordinator = try await system.startCoordinator()
    // It lacks the handler: so the kind has a queue.
    let old = try await system.startWorker("work=1")
    let environment = try await allow("narrow", reading: Self.withoutKinds, of: system)
    let worker = try await HealthyProcess(
      of: system,
      system.launchWorker(
        ["work=1", "other=1"], options: ["--salute", "1", "--health", "127.0.0.1:0"], environment: environment))
    try await worker.becomes(ready: true)
    let greeting = try await system.submitOne("salute", "--payload", #"{"name": "Ada"}"#)
    let line = try await worker.process.waitForLine(
      containing: "the broker refuses the queue of a kind", within: TellerSystem.limit)
    #expect(line.contains("salute") && line.contains("ACCESS_REFUSED"), "\(line)")
    try await expectHealth(of: worker, toSay: "kind salute of work (ACCESS_REFUSED")

    // From now on it is alone in both departments: the other one says goodbye.
    old.signal(SIGTERM)
    try await old.waitForExit(within: TellerSystem.limit)
    for department in ["other", "work"] {
      let served = try await system.submit(5, #"{"kind": "wave", "department": "\#(department)", "payload": {}}"#)
      #expect(Set(try await system.outcomes(of: served).values) == ["succeeded"], "\(system.logs)")
    }
    let lost = worker.process.text(of: .standardError).filter { $0.contains("broker lost") }
    #expect(lost.count { $0.contains("ACCESS_REFUSED") } == 1, "it looks on other connections: \(lost)")

    _ = try await allow("narrow", reading: ".*", of: system)
    try await worker.process.waitForLine(
      containing: "lets the queue of a kind be consumed again", within: TellerSystem.limit)
    #expect(Set(try await system.outcomes(of: [greeting]).values) == ["succeeded"], "\(system.logs)")
    try await worker.becomes(ready: true)
    for process in [worker.process, coordinator] { try await process.close() }
  }

  @Test("dead letters that the coordinator may not read keep nobody waiting, and its health names them until it may")
  func unreadableDeadLetters() async throws {
    let system = try await system()
    let environment = try await allow("half", reading: #"^(?!teller\.dropped$).*$"#, of: system)
    let coordinator = try await HealthyProcess(
      of: system, system.launch("teller", ["coordinator", "--health", "127.0.0.1:0"], environment: environment))
    try await coordinator.becomes(ready: true)
    try await expectHealth(of: coordinator, toSay: "dead letters cannot be read")
    let worker = try await system.startWorker("work=2")
    let jobs = try await system.submit(5, #"{"kind": "noop"}"#)
    #expect(Set(try await system.outcomes(of: jobs).values) == ["succeeded"], "\(system.logs)")
    #expect(coordinator.process.text(of: .standardError).count { $0.contains(" serving") } == 1)
    _ = try await allow("half", reading: ".*", of: system)
    try await eventually("its health has nothing to say", within: TellerSystem.limit) {
      try await !checks(of: coordinator).contains { $0.contains("dead letters cannot be read") }
    }
    for process in [worker, coordinator.process] { try await process.close() }
  }

  /// What a worker reads, but for the queues of kinds.
  private static let withoutKinds = #"^teller\.(control|echo|worker\..*|department\.(work|other))$"#

  /// Lets a user, who is made if need be, read what the pattern says; gives the environment of that user's process.
  private func allow(
    _ user: String, reading pattern: String, of system: TellerSystem
  ) async throws -> [String: String] {
    let (node, url) = (try await Self.node.value, try BrokerURL(system.brokerURL))
    if try await !node.ctl("list_users").contains(user) { try await node.ctl("add_user", user, "secret") }
    try await node.ctl("set_permissions", "-p", url.virtualHost, user, ".*", ".*", pattern)
    return ["TELLER_BROKER_URL": "amqp://\(user):secret@\(url.host):\(url.port)/\(url.virtualHost)"]
  }

  private func expectHealth(of worker: HealthyProcess, toSay words: String) async throws {
    var last = "not asked"
    try await eventually("its health says \(words)", within: TellerSystem.limit, lastState: { last }) {
      let details = try await checks(of: worker)
      last = "\(details)"
      return details.contains { $0.contains(words) }
    }
  }

  /// What each check of its health says.
  private func checks(of process: HealthyProcess) async throws -> [String] {
    let checks = try await process.ask().0["checks"] as? [[String: any Sendable]] ?? []
    return checks.compactMap { $0["detail"] as? String }
  }
}
