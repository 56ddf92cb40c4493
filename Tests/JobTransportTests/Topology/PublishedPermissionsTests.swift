import AMQP
import Foundation
import JobModel
import TestSupport
import Testing

@testable import JobTransport

/// The permissions in `Deploy/rabbitmq/definitions.json` are enough for what each role declares, binds, writes and reads;
/// and no other role than its own may do what makes a difference.
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
    func may(_ right: Right) -> Bool {
      switch right {
      case .configureExchange(let exchange): mayConfigure(exchange.name)
      case .configureQueue(let queue), .makeQueue(let queue): mayConfigure(queue.name)
      case .writeExchange(let name): mayWrite(name.isEmpty ? PublishedPermissionsTests.defaultExchange : name)
      case .bind(let binding): mayBind(binding)
      case .readQueue(let name): mayRead(name)
      }
    }
  }

  /// The broker's name for the default exchange where permissions are meant.
  private static let defaultExchange = "amq.default"
  private typealias Exchange = Topology.Exchange
  private typealias Queue = Topology.Queue

  private struct Definitions: Decodable {
    struct Permission: Decodable {
      var user: String
      var configure: String
      var write: String
      var read: String
    }
    struct User: Decodable {
      var name: String
      var passwordHash: String
      var tags: [String]

      enum CodingKeys: String, CodingKey {
        case name, tags
        case passwordHash = "password_hash"
      }
    }
    var users: [User]
    var permissions: [Permission]
  }

  private func definitions() throws -> Definitions {
    let file = PackageFolder.url.appending(path: "Deploy/rabbitmq/definitions.json")
    return try JSONDecoder().decode(Definitions.self, from: Data(contentsOf: file))
  }

  private func role(_ name: String) throws -> Role {
    let permission = try #require(try definitions().permissions.first { $0.user == name }, "\(name)")
    return Role(
      configure: try Regex(permission.configure), write: try Regex(permission.write), read: try Regex(permission.read))
  }

  @Test("there is a user for each role and no other, without a password yet; only the monitor sees the broker itself")
  func users() throws {
    let definitions = try definitions()
    let names = ["coordinator"] + UserRole.allCases.map(\.rawValue)
    #expect(Set(definitions.users.map(\.name)) == Set(names) && definitions.users.count == names.count)
    #expect(definitions.permissions.map(\.user).sorted() == names.sorted())
    for user in definitions.users {
      #expect(user.passwordHash == "@\(user.name)@")
      #expect(user.tags == (user.name == "monitor" ? ["monitoring"] : []))
    }
  }

  @Test("the coordinator may declare and bind what lasts, read what is for it, and write to all who are answered")
  func coordinator() throws {
    let role = try role("coordinator")
    let kind = JobQueue("counter", kind: "deposit")
    for right in Topology.rightsOfCoordinator(departments: ["counter"]) { #expect(role.may(right), "\(right)") }
    #expect(role.mayConfigure(Topology.queue(kind).name) && role.mayBind(Topology.binding(kind)))
    let claim = Topology.claim(of: LedgerID())
    #expect(role.mayConfigure(claim.name) && role.mayRead(claim.name) && role.mayWrite(claim.alternate ?? ""))
    for name in Topology.retired.map(\.name) { #expect(role.mayRead(name), "\(name)") }
    for queue in Topology.retired { #expect(role.mayConfigure(queue.name), "\(queue.name)") }
    // A queue may only be declared by who may read it, and write where its dead letters go.
    for queue in Topology.queues {
      guard let exchange = queue.arguments.deadLetterExchange else { continue }
      #expect(role.mayRead(queue.name) && role.mayWrite(exchange), "\(queue.name)")
    }
  }

  @Test("a worker may do its work, and neither command others nor ask", arguments: ["worker", "submitting-worker"])
  func worker(_ name: String) throws {
    let role = try role(name)
    let user = try #require(UserRole(rawValue: name))
    for right in Topology.rights(of: user, departments: ["counter"]) { #expect(role.may(right), "\(right)") }
    let kind = JobQueue("counter", kind: "deposit")
    for name in [Queue.department("counter"), Queue.assignments(kind)] {
      #expect(role.mayRead(name), "\(name)")
    }
    for name in [Exchange.control, Exchange.admin, Exchange.jobs, Exchange.notifications, Self.defaultExchange] {
      #expect(!role.mayWrite(name), "\(name)")
    }
    for exchange in [Exchange.submit, Exchange.submitEarly, Exchange.requests] {
      #expect(role.mayWrite(exchange) == (name == "submitting-worker"), "\(exchange)")
    }
  }

  @Test(
    "who watches may; only an operator may command, and a monitor does not submit",
    arguments: ["producer", "operator", "monitor", "submitting-worker"])
  func client(_ name: String) throws {
    let role = try role(name)
    let user = try #require(UserRole(rawValue: name))
    for right in Topology.rights(of: user, departments: []) { #expect(role.may(right), "\(right)") }
    for exchange in [Exchange.submit, Exchange.submitEarly] {
      #expect(role.mayWrite(exchange) == (name != "monitor"), "\(exchange)")
    }
    #expect(role.mayWrite(Exchange.admin) == (name == "operator"))
    #expect(role.mayRead(Queue.rejected) == (name == "operator"))
    for name in [Exchange.jobs, Exchange.control, Exchange.notifications, Self.defaultExchange] {
      #expect(!role.mayWrite(name), "\(name)")
    }
    for name in Topology.queues.map(\.name) + [Queue.department("counter")] {
      #expect(!role.mayConfigure(name), "\(name)")
    }
  }
}
