import AMQP
import Foundation
import Teller

/// Looks at what the management API tells: the policies of Teller's queues, and the broker's nodes.
struct PolicyExamination {
  let management: Management
  let virtualHost: String

  /// How far the broker's clock may be from this machine's: its answer says the time to the second.
  private static let clockTolerance: Double = 5
  /// How many lines about policies are said at most.
  private static let most = 20

  /// `address`: nil: none was given, and the policies are not looked at.
  static func findings(_ address: ManagementAddress?, _ settings: TellerConfiguration) async -> [Finding] {
    guard let address else {
      return [.note(.policies, "not looked at", cure: "give the address of the management API with --management")]
    }
    if !settings.allowsPlaintext, let host = address.hostReadableOnTheWay {
      let text = "not looked at: the password would go to \(host) without encryption"
      return [.wrong(.policies, text, cure: "use https://, or allow it with --insecure where the network is trusted")]
    }
    let url = settings.brokerURL
    let management = Management(
      address: address, user: address.user ?? url.user, password: address.password ?? url.password)
    return await PolicyExamination(management: management, virtualHost: url.virtualHost).findings()
  }

  func findings() async -> [Finding] {
    do throws(Management.Problem) {
      let host = virtualHost.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? virtualHost
      let path = "/api/queues/\(host)?columns=name,policy,operator_policy,effective_policy_definition"
      let (queues, _): ([ManagedQueue], Date?) = try await management.get(path)
      let (nodes, date): ([ManagedNode], Date?) = try await management.get("/api/nodes")
      return Self.policies(queues) + ManagedNode.findings(nodes) + (date.map { [Self.clock($0, now: Date())] } ?? [])
    } catch {
      return [.wrong(.policies, error.text, cure: error.cure)]
    }
  }

  /// What the policies of these queues do.
  static func policies(_ queues: [ManagedQueue]) -> [Finding] {
    let own = queues.filter { $0.name.hasPrefix("teller.") }
    let harms = own.sorted { $0.name < $1.name }.flatMap { queue in
      queue.definition.sorted { $0.key < $1.key }.compactMap { key, value in
        PolicyEffect.harm(of: key, value, to: queue.name).map { harm(queue, key, value, $0) }
      }
    }
    if harms.isEmpty { return [.ok(.policies, "none does harm to Teller's \(own.count) queues")] }
    let more = harms.count - most
    return harms.prefix(most) + (more > 0 ? [.note(.policies, "and \(more) more such keys of policies")] : [])
  }

  private static func harm(_ queue: ManagedQueue, _ key: String, _ value: PolicyValue, _ effect: String) -> Finding {
    let names = [
      queue.policy.flatMap { $0.isEmpty ? nil : "policy \($0)" },
      queue.operatorPolicy.flatMap { $0.isEmpty ? nil : "operator policy \($0)" },
    ].compactMap(\.self)
    let name = names.isEmpty ? "a policy" : names.joined(separator: " or ")
    return .wrong(
      .policies, "\(name) sets \(key): \(value) for \(queue.name), and \(effect)",
      cure: "take the key out, or give the queue a policy of its own: see Deploy/policies.md")
  }

  /// How the broker's clock and this machine's agree.
  static func clock(_ broker: Date, now: Date) -> Finding {
    let difference = now.timeIntervalSince(broker)
    guard abs(difference) > clockTolerance else { return .ok(.clock, "it agrees with the broker's") }
    let direction = difference > 0 ? "ahead of" : "behind"
    return .wrong(
      .clock, "it is \(Int(abs(difference))) s \(direction) the broker's",
      cure: "see whether both machines keep their time (timedatectl)")
  }
}

/// A node of the broker, as the management API tells of it.
struct ManagedNode: Decodable, Hashable {
  let name: String
  let isRunning: Bool
  var hasMemoryAlarm: Bool?
  var hasDiskAlarm: Bool?
  var freeDisk: Int64?
  var diskLimit: Int64?
  var usedDescriptors: Int?
  var descriptors: Int?
  var partitions: [String]?

  enum CodingKeys: String, CodingKey {
    case name, partitions
    case isRunning = "running"
    case hasMemoryAlarm = "mem_alarm"
    case hasDiskAlarm = "disk_free_alarm"
    case freeDisk = "disk_free"
    case diskLimit = "disk_free_limit"
    case usedDescriptors = "fd_used"
    case descriptors = "fd_total"
  }

  /// The broker's disk has too little room when it has less than so many times what the broker wants free.
  private static let diskMargin: Int64 = 2

  static func findings(_ nodes: [ManagedNode]) -> [Finding] {
    let found = nodes.flatMap(\.findings)
    return found.isEmpty
      ? [.ok(.disk, "the broker's \(nodes.count == 1 ? "node has" : "\(nodes.count) nodes have") room")] : found
  }

  private var findings: [Finding] {
    guard isRunning else {
      return [
        .wrong(
          .broker, "its node \(name) does not run", cure: "start it, or forget it (rabbitmqctl forget_cluster_node)")
      ]
    }
    var found: [Finding] = []
    if let partitions, !partitions.isEmpty {
      let others = partitions.joined(separator: ", ")
      found.append(
        .wrong(.broker, "its node \(name) is parted from \(others)", cure: "restart the nodes of the smaller part"))
    }
    if hasMemoryAlarm == true {
      found.append(
        .wrong(.broker, "its node \(name) is short of memory", cure: "give it memory, or see who fills its queues"))
    }
    if let freeDisk, let diskLimit, freeDisk < diskLimit * Self.diskMargin {
      let text =
        "the broker's node \(name) has \(freeDisk >> 20) MiB free, and stops taking messages below \(diskLimit >> 20) MiB"
      found.append(.wrong(.disk, text, cure: "free disk on the broker's machine"))
    }
    if let usedDescriptors, let descriptors, descriptors > 0, usedDescriptors * 10 > descriptors * 9 {
      let text = "the broker's node \(name) has \(usedDescriptors) of \(descriptors) open"
      found.append(.wrong(.descriptors, text, cure: "raise its limit (LimitNOFILE, ulimit -n)"))
    }
    return found
  }
}
