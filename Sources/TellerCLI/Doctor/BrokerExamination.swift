import AMQP
import CoordinatorSettings
import JobModel
import JobTransport
import Teller

/// Looks at the broker as a client of AMQP sees it.
struct BrokerExamination {
  let settings: TellerConfiguration
  let role: BrokerRole
  let departments: [Department]
  /// The ledger of this machine; nil: there is none yet.
  let ledger: LedgerID?

  /// How long a broker may take to answer a message. It takes none while it is short of memory or disk.
  private static let patience: Duration = .seconds(10)
  /// The oldest RabbitMQ that has all that Teller needs: streams, and dead letters at least once.
  private static let oldest = [3, 10]

  func findings() async -> [Finding] {
    do throws(AMQPError) {
      let (connection, node) = try await open()
      let version = connection.serverVersion
      let takes = await takesMessages(connection)
      await connection.close()
      if let takes { return [takes] }
      let place = "\(node.host):\(node.port), virtual host \(node.virtualHost)"
      let there = Finding.ok(.broker, "it takes messages of the user \(node.user) at \(place)")
      return [there, Self.versions(version)] + (try await permissions(node.user)) + (try await claim())
    } catch {
      return [Self.finding(error)]
    }
  }

  private func open() async throws(AMQPError) -> (Connection, BrokerURL) {
    do throws(ConfigurationError) {
      try settings.checkEncryption()
    } catch .notEncrypted(let host) {
      throw .invalid(reason: ProcessSettings.notEncrypted(host))
    } catch {
      throw .invalid(reason: error.description)
    }
    return try await Connection.open(anyOf: settings.brokerURL, ConnectionOptions(name: "teller doctor"))
  }

  /// Each has its cure in its words.
  private static func finding(_ error: AMQPError) -> Finding {
    switch error {
    case .cannotConnect: .wrong(.broker, error.cause, cure: "start it, or correct the address")
    case .handshake: .wrong(.broker, error.cause, cure: "see whether this is RabbitMQ's port for AMQP, and its log")
    case .accessRefused(let reason):
      .wrong(
        .broker, reason, cure: "correct the user, the password or the virtual host, or see rabbitmqctl list_permissions"
      )
    case .tlsFailed(_, _, let problem): .wrong(.broker, "no encrypted connection", cure: problem.description)
    case .invalid(let reason): .wrong(.broker, "it is not asked", cure: reason)
    case .timedOut, .sendTimedOut: .wrong(.broker, error.cause, cure: "see whether it is overloaded or frozen")
    default: .wrong(.broker, error.cause, cure: "see the broker's log")
    }
  }

  /// Sends a message to no queue: it comes back.
  ///
  /// - Returns: What is wrong; nil: nothing.
  private func takesMessages(_ connection: Connection) async -> Finding? {
    let probe = Publishing(
      exchange: Topology.Exchange.default, routingKey: "teller.doctor.nobody", properties: MessageProperties(), body: []
    )
    do throws(AMQPError) {
      _ = try await connection.publish(probe, orCloseAfter: Self.patience)
    } catch .timedOut(let operation) {
      return .wrong(
        .broker, "it takes no messages: \(operation)",
        cure: "see rabbitmq-diagnostics alarms; free memory or disk on the broker's machine")
    } catch .channelClosed {
      return nil  // the user may not write there, which is another finding
    } catch {
      return Self.finding(error)
    }
    return nil
  }

  static func versions(_ broker: String) -> Finding {
    let numbers = broker.split(separator: ".").prefix(2).compactMap { Int($0) }
    guard numbers.count == 2 else { return .note(.versions, "the broker does not say that it is RabbitMQ: \(broker)") }
    if numbers.lexicographicallyPrecedes(Self.oldest) {
      return .wrong(.versions, "RabbitMQ \(broker)", cure: "Teller needs 3.10 or later: see Deploy/platforms.md")
    }
    return .ok(.versions, "RabbitMQ \(broker)")
  }
}

// MARK: - Rights

extension BrokerExamination {
  private func permissions(_ user: String) async throws(AMQPError) -> [Finding] {
    let rights =
      role.user.map { Topology.rights(of: $0, departments: departments) }
      ?? Topology.rightsOfCoordinator(departments: departments)
    let answers = try await RightsTrial { () async throws(AMQPError) in try await open().0 }.answers(to: rights)
    // Several rights may be about one queue that is down.
    let wrong = answers.compactMap { Self.finding($0.right, $0.answer, user, role) }
      .reduce(into: [Finding]()) { if !$0.contains($1) { $0.append($1) } }
    let missing = answers.count { $0.answer == .missing }
    let untried = missing == 0 ? "" : "; \(missing) could not be tried before a coordinator has served here"
    guard wrong.isEmpty else { return wrong }
    return [
      .ok(
        .permissions,
        "the user \(user) may do what a \(role.rawValue) does (\(answers.count - missing) rights\(untried))")
    ]
  }

  static func finding(_ right: Right, _ answer: RightsTrial.Answer, _ user: String, _ role: BrokerRole) -> Finding? {
    switch answer {
    case .allowed, .missing: nil
    case .down(let words):
      .wrong(
        .permissions, words,
        cure:
          "start the node that has it; where it stays down with all nodes up, see Deploy/operating.md#a-queue-that-stays-down"
      )
    case .refused:
      .wrong(
        .permissions, "the user \(user) may not \(right)",
        cure:
          "give it the permissions of \(role.rawValue) in Deploy/rabbitmq/definitions.json (rabbitmqctl set_permissions)"
      )
    case .differs(let words):
      .wrong(
        .permissions, words,
        cure: """
          somebody else has made it: remove it (rabbitmqctl delete_queue; an exchange in the management page), and start \
          the coordinator again
          """)
    }
  }

  /// Whose the virtual host is. Where it is nobody's, nothing is claimed.
  private func claim() async throws(AMQPError) -> [Finding] {
    guard role == .coordinator, let ledger else { return [] }
    let connection = try await open().0
    do throws(AMQPError) {
      var claim = Topology.claim(of: ledger)
      for isPassive in [true, false] {
        claim.isPassive = isPassive
        try await connection.declare(claim)
      }
      await connection.close()
      return [.ok(.ledger, "the virtual host belongs to this ledger")]
    } catch {
      await connection.close()
      if let foreign = ForeignClaim(error, ledger) {
        return [.wrong(.ledger, "the virtual host belongs to another ledger", cure: foreign.description)]
      }
      guard case .channelClosed(let code, _) = error else { throw error }
      return code == AMQPError.notFoundCode ? [.note(.ledger, "the virtual host belongs to no ledger yet")] : []
    }
  }
}
