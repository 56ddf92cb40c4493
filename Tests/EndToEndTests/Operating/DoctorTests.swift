import AMQP
import BrokerSupport
import Foundation
import JobModel
import JobTransport
import SystemSupport
import TestSupport
import Testing

/// `teller doctor` on a system that is well, and on many that are not: the line of the right area says what is wrong and what
/// to do, and nothing is changed.
@Suite("The doctor", .timeLimit(.minutes(15)))
struct DoctorTests {
  /// Broken on purpose, one way after the other.
  private static let node = Task { try await BrokerNode.start(hasManagement: true) }

  private func system(departments: String = "work: {}, other: {}", more: String = "") async throws -> TellerSystem {
    try TellerSystem(
      brokerURL: try await Self.node.value.makeVirtualHost(), departments: departments, more: more)
  }

  private struct Answer {
    let status: Int32
    let lines: [(area: String, state: String, text: String, cure: String?)]

    /// What is wrong in an area.
    func wrong(_ area: String) -> String {
      lines.filter { $0.area == area && $0.state == "wrong" }.map { "\($0.text) — \($0.cure ?? "")" }
        .joined(separator: "\n")
    }
    var areas: Set<String> { Set(lines.map(\.area)) }
    var allWrong: Set<String> { Set(lines.filter { $0.state == "wrong" }.map(\.area)) }
  }

  private func doctor(
    _ system: TellerSystem, _ options: String..., environment: [String: String] = [:]
  ) async throws -> Answer {
    let process = try system.launch("teller", ["doctor", "--json"] + options, environment: environment)
    process.closeInput()
    let status = try await process.waitForExit(within: TellerSystem.limit)
    let lines = TellerSystem.Ended(status: status, lines: process.text(of: .standardOutput), errors: []).objects
    return Answer(
      status: status,
      lines: lines.map {
        ($0["area"] as? String ?? "", $0["state"] as? String ?? "", $0["text"] as? String ?? "", $0["cure"] as? String)
      })
  }

  private func management() async throws -> [String: String] {
    ["TELLER_MANAGEMENT_URL": try #require(try await Self.node.value.management)]
  }

  // MARK: - Well

  @Test("finds nothing wrong in a system that is well, looks at everything, and changes nothing")
  func well() async throws {
    let system = try await system()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=1", "other=1")
    let before = Set(try await Self.node.value.queues(of: system.brokerURL).keys)
    let answer = try await doctor(system, environment: try await management())
    #expect(answer.status == 0 && answer.allWrong.isEmpty, "\(answer.lines)")
    let all = [
      "broker", "permissions", "versions", "policies", "coordinator", "clock", "disk", "descriptors", "ledger",
      "configuration",
    ]
    #expect(answer.areas == Set(all), "\(answer.areas)")
    #expect(
      answer.lines.map(\.area) == answer.lines.map(\.area).sorted { all.firstIndex(of: $0)! < all.firstIndex(of: $1)! })
    #expect(Set(try await Self.node.value.queues(of: system.brokerURL).keys) == before)
    let jobs = try await system.submit(3, #"{"kind": "noop"}"#)
    #expect(Set(try await system.outcomes(of: jobs).values) == ["succeeded"])
    #expect(coordinator.text(of: .standardError).count { $0.contains(" serving") } == 1)
    #expect(coordinator.text(of: .standardError).allSatisfy { !$0.contains("warning") })
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("finds nothing wrong before a coordinator has ever served, and makes no queue")
  func new() async throws {
    let system = try await system()
    let answer = try await doctor(system)
    #expect(answer.status == 0, "\(answer.lines)")
    #expect(answer.lines.contains { $0.area == "coordinator" && $0.state == "note" })
    #expect(try await Self.node.value.queues(of: system.brokerURL).isEmpty)
  }

  @Test("says its lines for people, too")
  func people() async throws {
    let system = try await system()
    let ended = try await system.teller("doctor")
    #expect(ended.lines.first?.hasPrefix("ok     broker") == true, "\(ended)")
    #expect(ended.lines.contains { $0.hasPrefix("note   coordinator") && $0.contains("start one") }, "\(ended)")
  }

  // MARK: - The broker

  @Test("a broker that is not there, a wrong password, a missing virtual host, a port for something else")
  func unreachable() async throws {
    let system = try await system()
    let url = system.brokerURL
    let password = try BrokerURL(url).password
    let health = try await Self.node.value.management ?? ""
    let port = health.split(separator: ":").last.map(String.init) ?? ""
    let cases = [
      ("amqp://a:b@127.0.0.1:1/", "start it"),
      (url.replacing(":\(password)@", with: ":wrong@"), "ACCESS_REFUSED"),
      (url + "-none", "virtual host"),
      (url.replacing("amqp://", with: "amqps://"), "TLS"),
      ("amqp://a:b@127.0.0.1:\(port)/", "AMQP"),
      ("amqp://a:b@teller.example/", "--insecure"),
    ]
    for (address, words) in cases {
      let answer = try await doctor(system, environment: ["TELLER_BROKER_URL": address])
      #expect(answer.status == 3 && answer.wrong("broker").contains(words), "\(words): \(answer.lines)")
      #expect(answer.lines.allSatisfy { !$0.text.contains(password) && $0.cure?.contains(password) != true })
      #expect(answer.areas.isSuperset(of: ["disk", "descriptors", "ledger", "configuration"]))
    }
  }

  @Test("a broker that takes no messages for lack of memory")
  func alarm() async throws {
    let node = try await BrokerNode.start()
    let system = try TellerSystem(brokerURL: try await node.makeVirtualHost())
    try await node.ctl("set_vm_memory_high_watermark", "0")
    let answer = try await doctor(system)
    #expect(answer.status == 3 && answer.wrong("broker").contains("alarm"), "\(answer.lines)")
    try await node.close()
  }

  @Test("rights that a user lacks: each is named, for each role", arguments: ["coordinator", "worker", "producer"])
  func rights(role: String) async throws {
    let system = try await system()
    let coordinator = try await system.startCoordinator()
    let host = try BrokerURL(system.brokerURL).virtualHost
    let name = "lacking-\(role)"
    let node = try await Self.node.value
    try await node.ctl("add_user", name, "word")
    func look(_ configure: String, _ write: String, _ read: String) async throws -> Answer {
      try await node.ctl("set_permissions", "-p", host, name, configure, write, read)
      let url = try BrokerURL(system.brokerURL)
      return try await doctor(
        system, "--role", role,
        environment: ["TELLER_BROKER_URL": "amqp://\(name):word@\(url.host):\(url.port)/\(host)"])
    }
    let all = try await look(".*", ".*", ".*")
    #expect(all.status == 0, "\(all.lines)")
    let (configured, written, read) =
      switch role {
      case "worker": ("teller.worker.", "teller.presence", "teller.department.work")
      case "producer": ("teller.reply.", "teller.submit", "teller.notifications")
      default: ("teller.reports.2", "teller.jobs", "teller.dropped")
      }
    func but(_ name: String) -> String { "^(?!\(name.replacing(".", with: "[.]"))).*$" }
    let one = try await look(but(configured), ".*", ".*")
    #expect(one.status == 3 && one.wrong("permissions").contains("configure the queue \(configured)"), "\(one.lines)")
    let two = try await look(".*", but(written), ".*")
    #expect(two.status == 3 && two.wrong("permissions").contains("write to the exchange \(written)"), "\(two.lines)")
    let three = try await look(".*", ".*", but(read))
    #expect(three.status == 3 && three.wrong("permissions").contains("read the queue \(read)"), "\(three.lines)")
    try await coordinator.close()
  }

  @Test("a queue that somebody else has made, and a department that is out because of one")
  func otherQueue() async throws {
    let system = try await system()
    let connection = try await Connection.patient(to: system.brokerURL)
    try await connection.declare(QueueDeclaration(Topology.Queue.department("other")))
    let coordinator = try await system.startCoordinator()
    let answer = try await doctor(system)
    #expect(answer.status == 3 && answer.wrong("permissions").contains("teller.department.other"), "\(answer.lines)")
    #expect(answer.wrong("coordinator").contains("other is out"), "\(answer.lines)")
    await connection.close()
    try await coordinator.close()
  }

  @Test("a policy for all queues, by its name and its key")
  func policy() async throws {
    let system = try await system()
    let coordinator = try await system.startCoordinator()
    let host = try BrokerURL(system.brokerURL).virtualHost
    let node = try await Self.node.value
    try await node.ctl("set_policy", "-p", host, "--apply-to", "queues", "everything", ".*", #"{"message-ttl":60000}"#)
    try await eventually("the broker's page knows the policy", within: TellerSystem.limit) {
      let answer = try await doctor(system, environment: try await management())
      let wrong = answer.wrong("policies")
      return answer.status == 3 && wrong.contains("policy everything sets message-ttl: 60000 for teller.submissions.2")
    }
    try await coordinator.close()
  }

  @Test("a management API that is not there, or does not let the user in")
  func unmanaged() async throws {
    let system = try await system()
    let address = try #require(try await Self.node.value.management)
    let host = try #require(address.split(separator: "@").last)
    for (text, words) in [("http://127.0.0.1:1", "gives no answer"), ("http://a:b@\(host)", "may not see")] {
      let answer = try await doctor(system, environment: ["TELLER_MANAGEMENT_URL": text])
      #expect(answer.status == 3 && answer.wrong("policies").contains(words), "\(answer.lines)")
    }
    let ended = try await system.teller("doctor", "--management", "http://a:secret@127.0.0.1:1")
    #expect(ended.status == 64 && !ended.errors.joined().contains("secret"), "\(ended)")
    let wrong = try await system.teller("doctor", "--management", "127.0.0.1:15672")
    #expect(wrong.status == 78, "\(wrong)")
  }

  // MARK: - This machine

  @Test("a ledger of another virtual host, a file that is none, a folder that is not there")
  func ledger() async throws {
    let system = try await system()
    try await system.startCoordinator().close()
    let other = try await self.system()
    try await other.startCoordinator().close()
    let foreign = try await doctor(system, environment: ["TELLER_LEDGER": other.ledger.path])
    #expect(foreign.status == 3 && foreign.wrong("ledger").contains("hand-over"), "\(foreign.lines)")
    let text = system.folder.appending("text")
    try Data(String(repeating: "no ledger ", count: 99).utf8).write(to: text)
    let none = try await doctor(system, environment: ["TELLER_LEDGER": text.path])
    #expect(none.status == 3 && none.wrong("ledger").contains(text.path), "\(none.lines)")
    let missing = try await doctor(system, "--ledger", "/no/such/folder/ledger")
    #expect(missing.status == 3 && missing.wrong("disk").contains("/no/such/folder"), "\(missing.lines)")
  }

  @Test("mistakes in the configuration, each with its line")
  func configuration() async throws {
    let system = try await system()
    try Data("departments: {work: {windw: 3}}\nlease: soon\n".utf8).write(to: system.folder.appending("teller.yaml"))
    let answer = try await doctor(system)
    #expect(answer.status == 3 && answer.allWrong == ["configuration"], "\(answer.lines)")
    #expect(
      answer.wrong("configuration").contains("teller.yaml:1") && answer.wrong("configuration").contains("teller.yaml:2")
    )
  }

  @Test("few file descriptors")
  func descriptors() async throws {
    let system = try await system()
    let process = try system.launch(
      URL(filePath: "/bin/bash"), named: "doctor",
      ["-c", "ulimit -n 128 && exec \"$0\" doctor", BuiltProducts.url("teller").path])
    let status = try await process.waitForExit(within: TellerSystem.limit)
    let lines = process.text(of: .standardOutput)
    #expect(status == 3 && lines.contains { $0.hasPrefix("wrong  descriptors") && $0.contains("128") }, "\(lines)")
  }
}
