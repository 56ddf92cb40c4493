import AMQP
import Foundation
import JobModel
import JobTransport
import TestSupport
import Testing

/// The permissions that `Deploy/wire` advises are enough for what each role declares, binds, writes and reads; and no
/// other role than its own may do what makes a difference.
@Suite struct PublishedPermissionsTests {
  /// What a user of the broker may do, as patterns of names.
  private struct Role {
    var configure: Regex<AnyRegexOutput>
    var write: Regex<AnyRegexOutput>
    var read: Regex<AnyRegexOutput>

    func mayConfigure(_ name: String) -> Bool { name.contains(configure) }
    func mayWrite(_ name: String) -> Bool { name.contains(write) }
    func mayRead(_ name: String) -> Bool { name.contains(read) }
    /// A binding writes the queue, and reads the exchange.
    func mayBind(_ binding: Topology.Binding) -> Bool { mayWrite(binding.queue) && mayRead(binding.exchange) }
  }

  /// The broker's name for the default exchange where permissions are meant.
  private static let defaultExchange = "amq.default"
  private typealias Exchange = Topology.Exchange
  private typealias Queue = Topology.Queue

  private func role(_ name: String) throws -> Role {
    let file = WireSchemas.folder.appending(path: "README.md")
    let page = try String(contentsOf: file, encoding: .utf8).replacing("\\\n", with: "")
    let line = try Regex("rabbitmqctl set_permissions \(name) +'(\\S+)' +'(\\S+)' +'(\\S+)'")
    let found = try #require(page.firstMatch(of: line), "\(name)")
    let patterns = try (1...3).map { try Regex(String(try #require(found.output[$0].substring))) }
    return Role(configure: patterns[0], write: patterns[1], read: patterns[2])
  }

  @Test("the coordinator may declare, bind and read everything of Teller's, and write to all who are answered")
  func coordinator() throws {
    let role = try role("coordinator")
    let department = Topology.departmentQueue("counter")
    let declared =
      Topology.exchanges.map(\.name) + (Topology.queues + [department, Topology.coordinatorQueue]).map(\.name)
    for name in declared { #expect(role.mayConfigure(name), "\(name)") }
    for binding in Topology.bindings + [Topology.departmentBinding("counter")] { #expect(role.mayBind(binding)) }
    let written = [Exchange.jobs, Exchange.reports, Exchange.presence, Exchange.control, Exchange.notifications]
    for name in written + [Self.defaultExchange] { #expect(role.mayWrite(name), "\(name)") }
    let read = [Queue.submissions, Queue.reports, Queue.presence, Queue.requests, Queue.admin, Queue.notifications]
    for name in read { #expect(role.mayRead(name), "\(name)") }
  }

  @Test("a worker may do its work, and neither submit nor ask nor command")
  func worker() throws {
    let role = try role("worker")
    let worker = WorkerID()
    #expect(role.mayConfigure(Topology.workerQueue(worker).name))
    for binding in Topology.workerBindings(worker, departments: ["counter"]) { #expect(role.mayBind(binding)) }
    for name in [Exchange.reports, Exchange.presence, Exchange.control] { #expect(role.mayWrite(name), "\(name)") }
    for name in [Queue.worker(worker), Queue.department("counter")] { #expect(role.mayRead(name), "\(name)") }
    for name in [Exchange.submit, Exchange.requests, Exchange.admin, Exchange.jobs, Self.defaultExchange] {
      #expect(!role.mayWrite(name), "\(name)")
    }
  }

  @Test("a client may submit, ask and watch; only an operator may command", arguments: ["client", "operator"])
  func client(_ name: String) throws {
    let role = try role(name)
    let reply = Topology.replyQueue(JobID()).name
    #expect(role.mayConfigure(reply) && role.mayRead(reply))
    #expect(
      role.mayBind(
        Topology.Binding(queue: reply, exchange: Exchange.notifications, routingKey: Topology.RoutingKey.live)))
    #expect(role.mayRead(Queue.notifications))
    #expect(role.mayWrite(Exchange.submit) && role.mayWrite(Exchange.requests))
    #expect(role.mayWrite(Exchange.admin) == (name == "operator"))
    #expect(role.mayRead(Queue.rejected) == (name == "operator"))
    for name in [Exchange.jobs, Exchange.reports, Exchange.presence, Exchange.control, Self.defaultExchange] {
      #expect(!role.mayWrite(name), "\(name)")
    }
    for name in Topology.queues.map(\.name) + [Queue.department("counter")] {
      #expect(!role.mayConfigure(name), "\(name)")
    }
  }
}
