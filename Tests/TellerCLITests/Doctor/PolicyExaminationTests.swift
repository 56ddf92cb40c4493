import AMQP
import Foundation
import JobTransport
import Testing

@testable import TellerCLI

@Suite("What the doctor says of policies, nodes and clocks")
struct PolicyExaminationTests {
  private static let keys = PolicyEffect.keys + ["ha-mode", "queue-mode"]

  /// For each queue the keys that do harm: the table of `Deploy/policies.md`.
  @Test(
    "each key does to each queue what the table says",
    arguments: [
      (
        "teller.submissions.2",
        ["message-ttl", "max-length", "max-length-bytes", "overflow", "delivery-limit", "expires"]
      ),
      ("teller.reports.2", ["message-ttl", "max-length", "max-length-bytes", "overflow", "delivery-limit", "expires"]),
      ("teller.dead-letters", ["max-length-bytes", "max-age"]),
      ("teller.dropped", ["message-ttl", "max-length", "max-length-bytes", "overflow", "expires"]),
      ("teller.department.work", ["message-ttl", "max-length", "max-length-bytes", "expires"]),
      ("teller.department.work.kind.loan", ["message-ttl", "max-length", "max-length-bytes", "expires"]),
      ("teller.presence", []), ("teller.requests", []), ("teller.admin", []), ("teller.early", []),
      ("teller.coordinator", ["message-ttl", "max-length", "max-length-bytes"]),
      ("teller.notifications", ["max-length-bytes", "max-age"]),
      ("teller.rejected", ["message-ttl", "max-length", "max-length-bytes", "expires"]),
      ("teller.reply.1", ["message-ttl", "max-length", "max-length-bytes"]),
      ("teller.worker.w.0", ["message-ttl", "max-length", "max-length-bytes"]),
    ])
  func table(queue: String, harmful: [String]) {
    let found = Self.keys.filter { PolicyEffect.harm(of: $0, .number(1), to: queue) != nil }
    #expect(found == harmful)
  }

  @Test("every lasting queue is in that table")
  func all() {
    let none = Topology.queues.map(\.name).filter { queue in
      !["teller.presence", "teller.requests", "teller.admin", "teller.early"].contains(queue)
        && PolicyEffect.keys.allSatisfy { PolicyEffect.harm(of: $0, .number(1), to: queue) == nil }
    }
    #expect(none == [])
  }

  @Test("the policy that Teller recommends is none of them, and neither is one about other queues")
  func harmless() {
    let own = ManagedQueue(
      name: "teller.reports.2", policy: "teller", definition: ["overflow": .word("reject-publish")])
    let other = ManagedQueue(name: "mail", policy: "all", definition: ["message-ttl": .number(1)])
    #expect(PolicyExamination.policies([own, other]).map(\.state) == [.ok])
  }

  @Test("a harm names the policy, or both that it may come from; of many the first are named")
  func names() {
    var queue = ManagedQueue(
      name: "teller.rejected", policy: "a", operatorPolicy: "b", definition: ["message-ttl": .number(5)])
    #expect(
      PolicyExamination.policies([queue]).first?.text.hasPrefix("policy a or operator policy b sets message-ttl: 5")
        == true)
    queue = ManagedQueue(name: "teller.rejected", policy: "", definition: ["message-ttl": .number(5)])
    #expect(PolicyExamination.policies([queue]).first?.text.hasPrefix("a policy sets") == true)
    let many = (0..<40).map {
      ManagedQueue(name: "teller.department.d\($0)", policy: "p", definition: ["expires": .number(9)])
    }
    let findings = PolicyExamination.policies(many)
    #expect(findings.count == 21 && findings.last?.text == "and 20 more such keys of policies")
  }

  @Test("the answers of the API are read as RabbitMQ writes them")
  func answers() throws {
    let text = """
      [{"effective_policy_definition":[],"name":"a","operator_policy":null,"policy":null},
       {"effective_policy_definition":{"max-length":7,"overflow":"drop-head","x":{"y":1}},"name":"b","policy":"p"},{"name":"c"}]
      """
    let queues = try JSONDecoder().decode([ManagedQueue].self, from: Data(text.utf8))
    #expect(queues.map(\.name) == ["a", "b", "c"])
    #expect(queues[1].definition == ["max-length": .number(7), "overflow": .word("drop-head"), "x": .other])
  }

  @Test("each trouble of a node is a line of its own")
  func nodes() throws {
    func findings(_ text: String) throws -> [Finding] {
      ManagedNode.findings(try JSONDecoder().decode([ManagedNode].self, from: Data("[\(text)]".utf8)))
    }
    #expect(try findings(#"{"name":"a","running":true}"#).map(\.state) == [.ok])
    #expect(try findings(#"{"name":"a","running":false}"#).first?.text.contains("does not run") == true)
    let bad = try findings(
      #"{"name":"a","running":true,"mem_alarm":true,"disk_free":9,"disk_free_limit":8,"fd_used":95,"fd_total":100,"partitions":["b"]}"#
    )
    #expect(bad.map(\.area) == [.broker, .broker, .disk, .descriptors] && bad.allSatisfy { $0.state == .wrong })
  }

  @Test(
    "a clock that is more than some seconds off",
    arguments: [(0.0, true), (4, true), (-4, true), (6, false), (-6, false)])
  func clock(offset: Double, isWell: Bool) {
    let now = Date(timeIntervalSince1970: 1_000_000)
    #expect((PolicyExamination.clock(now + offset, now: now).state == .ok) == isWell)
  }

  @Test(
    "a password goes over no network without encryption, unless that is allowed",
    arguments: [
      ("http://127.0.0.1:15672", nil), ("http://localhost", nil), ("http://[::1]:1", nil), ("https://broker:1", nil),
      ("http://broker:15672", "broker"), ("http://u:p@10.0.0.1", "10.0.0.1"),
    ] as [(String, String?)])
  func encryption(text: String, host: String?) {
    #expect(ManagementAddress(text)?.hostReadableOnTheWay == host)
  }

  @Test(
    "addresses of the management API",
    arguments: [
      ("http://h:1", "http://h:1"), ("https://u:p@h/rabbit/", "https://h/rabbit"), ("h:1", nil), ("amqp://h", nil),
      ("http://", nil), ("http://h?x=1", nil), ("", nil),
    ] as [(String, String?)])
  func addresses(text: String, url: String?) {
    #expect(ManagementAddress(text)?.url.absoluteString == url)
  }

  @Test("room on a disk, and descriptors, at their borders")
  func machine() {
    let least = MachineExamination.leastRoom
    #expect(MachineExamination.room(least, for: 0, in: "/x").state == .ok)
    #expect(MachineExamination.room(least - 1, for: 0, in: "/x").state == .wrong)
    #expect(MachineExamination.room(least + 9, for: 10, in: "/x").state == .wrong)
    #expect(MachineExamination.descriptors((9, MachineExamination.fewestDescriptors)).first?.state == .ok)
    #expect(MachineExamination.descriptors((9, MachineExamination.fewestDescriptors - 1)).first?.state == .wrong)
  }

  @Test("a line is one line, whatever the broker says")
  func oneLine() {
    let finding = Finding.wrong(.broker, "a\nb", cure: "c\u{1B}[31m")
    #expect(!finding.line.contains("\n") && finding.line.hasPrefix("wrong  broker         a"))
  }
}
