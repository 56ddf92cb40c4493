import JobTransport

/// A queue, as the management API tells of it.
struct ManagedQueue: Decodable, Hashable {
  let name: String
  let policy: String?
  let operatorPolicy: String?
  let definition: [String: PolicyValue]

  enum CodingKeys: String, CodingKey {
    case name, policy
    case operatorPolicy = "operator_policy"
    case definition = "effective_policy_definition"
  }

  init(
    name: String, policy: String? = nil, operatorPolicy: String? = nil, definition: [String: PolicyValue] = [:]
  ) {
    (self.name, self.policy, self.operatorPolicy, self.definition) = (name, policy, operatorPolicy, definition)
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    name = try values.decode(String.self, forKey: .name)
    policy = try? values.decode(String.self, forKey: .policy)
    operatorPolicy = try? values.decode(String.self, forKey: .operatorPolicy)
    // Without a policy it is an empty list, or missing.
    definition = (try? values.decode([String: PolicyValue].self, forKey: .definition)) ?? [:]
  }
}

/// A number or a word of a policy. Others say nothing here.
enum PolicyValue: Decodable, Hashable, CustomStringConvertible {
  case number(Int64)
  case word(String)
  case other

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let number = try? value.decode(Int64.self) {
      self = .number(number)
    } else if let word = try? value.decode(String.self) {
      self = .word(word)
    } else {
      self = .other
    }
  }

  var description: String {
    switch self {
    case .number(let number): String(number)
    case .word(let word): word
    case .other: "…"
    }
  }
}

/// What a policy does to a queue of Teller: the table of `Deploy/policies.md`.
enum PolicyEffect {
  /// The keys that take messages off a queue, or refuse them, before Teller has read them.
  static let keys = [
    "message-ttl", "max-length", "max-length-bytes", "overflow", "delivery-limit", "expires", "max-age",
  ]
  private static let streams = [Topology.Queue.notifications, Topology.Queue.deadLetters]

  /// What is wrong with a key of a policy; nil: it does no harm.
  static func harm(of key: String, _ value: PolicyValue, to queue: String) -> String? {
    guard keys.contains(key), key != "max-age" || streams.contains(queue) else { return nil }
    switch queue {
    case Topology.Queue.submissions, Topology.Queue.reports:
      switch (key, value) {
      case ("overflow", .word("reject-publish")): return nil
      case ("max-length", _), ("max-length-bytes", _): return "it refuses messages beyond that, and senders wait"
      case ("expires", _): return "it deletes the queue with its messages while no coordinator serves"
      default: return "it takes messages away that were called safe; the coordinator takes back what it can"
      }
    case Topology.Queue.rejected:
      return ["delivery-limit", "overflow"].contains(key) ? nil : "messages that were kept for people go"
    case Topology.Queue.notifications:
      return ["max-length-bytes", "max-age"].contains(key) ? "watchers that come later miss events" : nil
    case Topology.Queue.deadLetters:
      return ["max-length-bytes", "max-age"].contains(key) ? "the oldest go that the coordinator has not read yet" : nil
    case Topology.Queue.dropped: return key == "delivery-limit" ? nil : "it takes away what the broker dropped before"
    case Topology.Queue.coordinator:
      return ["message-ttl", "max-length", "max-length-bytes"].contains(key) ? "a coordinator may not hear itself" : nil
    default: return harm(of: key, toOther: queue)
    }
  }

  private static func harm(of key: String, toOther queue: String) -> String? {
    if queue.hasPrefix("teller.department.") {
      return ["delivery-limit", "overflow"].contains(key)
        ? nil : "jobs of the department go missing, and are released again after a lease"
    }
    if queue.hasPrefix("teller.worker.") || queue.hasPrefix("teller.reply.") {
      return ["message-ttl", "max-length", "max-length-bytes"].contains(key)
        ? "answers may be lost, and are asked for again" : nil
    }
    return nil
  }
}
