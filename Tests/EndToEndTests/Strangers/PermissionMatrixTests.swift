import AMQP
import BrokerSupport
import Foundation
import JobModel
import JobTransport
import TestSupport
import Testing

/// The permissions of `Deploy/rabbitmq/definitions.json`, tried on a broker: each user, each operation, each exchange and
/// queue.
@Suite("Permissions on the broker", .timeLimit(.minutes(30)))
struct PermissionMatrixTests {
  @Test("each user may do what the table says, and nothing else")
  func matrix() async throws {
    let roles = try await Roles.make {
      // As the page says, for a user of some departments.
      for role in ["worker", "submitting-worker"] {
        $0.add("\(role)-of-work", as: role, replacing: #"department\..*"#, with: #"department\.work(\.kind\..*)?"#)
      }
    }
    let coordinator = try await roles.connect("coordinator")
    // What only the coordinator may: everything that lasts is declared by its user.
    try await coordinator.declare(Topology.coordinatorQueue)
    try await coordinator.declare(Topology.claim(of: LedgerID()))
    try await Topology.declareAll(on: coordinator, departments: ["work", "other"])
    for department in ["work", "other"] as [Department] {
      try await coordinator.declare(Topology.queue(JobQueue(department, kind: "new")))
    }
    let holder = try await hold(roles)
    for (user, intended) in PermissionMatrix.users.sorted(by: { $0.key < $1.key }) {
      let codes = try await codes(of: user, roles)
      #expect(codes.count == PermissionMatrix.tries.count, "\(user)")
      for cell in PermissionMatrix.tries {
        let isRefused = codes[cell] == 403
        #expect(isRefused == !intended.allows(cell), "\(user): \(cell): \(codes[cell].map(String.init) ?? "no answer")")
      }
    }
    await holder.close()
    await coordinator.close()
  }

  /// Uses every queue and exchange, so that nobody deletes one, and has the queues of others.
  private func hold(_ roles: Roles) async throws -> Connection {
    let holder = try await Connection.patient(to: roles.url, name: "holder")
    for name in ["teller.worker.other", "teller.reply.other"] {
      var queue = QueueDeclaration(name)
      (queue.isDurable, queue.isExclusive) = (false, true)
      try await holder.declare(queue)
    }
    for exchange in PermissionMatrix.exchanges {
      try await holder.bind(queue: "teller.worker.other", exchange: exchange, routingKey: "held")
    }
    for queue in PermissionMatrix.queues {
      _ = try await holder.consume(queue, options: ConsumeOptions(prefetch: 1))
    }
    return holder
  }

  /// What the broker answers a user to every try.
  private func codes(of user: String, _ roles: Roles) async throws -> [Try: Int] {
    let asked: [String: any Sendable] = [
      "url": roles.text(of: user), "tries": PermissionMatrix.tries.map { [$0.operation, $0.name, $0.other] },
    ]
    let script = PackageFolder.url.appending(path: "Tests/EndToEndTests/Clients/permissions.py")
    let client = try RunningProcess.launch(PythonVenv.pika(), arguments: [script.path])
    try client.write(String(decoding: try JSONSerialization.data(withJSONObject: asked), as: UTF8.self))
    client.closeInput()
    let status = try await client.waitForExit(within: .seconds(300))
    #expect(status == 0, "\(user): \(client.text(of: .standardError).joined(separator: "\n"))")
    return try client.text(of: .standardOutput).reduce(into: [:]) { codes, line in
      let words = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [any Sendable] ?? []
      guard words.count == 4, let code = words[3] as? Int else { return }
      let texts = words.prefix(3).compactMap { $0 as? String }
      codes[Try(operation: texts[0], name: texts[1], other: texts[2])] = code
    }
  }
}
