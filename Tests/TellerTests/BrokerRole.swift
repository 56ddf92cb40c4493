import AMQP
import Foundation
import TestSupport

/// A role of `Deploy/rabbitmq/definitions.json`: what its user may do at the broker.
struct BrokerRole: Decodable {
  private struct Definitions: Decodable { var permissions: [BrokerRole] }

  var user: String
  var configure: String
  var write: String
  var read: String

  init(_ name: String) throws {
    let file = PackageFolder.url.appending(path: "Deploy/rabbitmq/definitions.json")
    let roles = try JSONDecoder().decode(Definitions.self, from: Data(contentsOf: file)).permissions
    guard let role = roles.first(where: { $0.user == name }) else { throw CocoaError(.fileReadCorruptFile) }
    self = role
  }

  /// Makes a user with this role on a virtual host of the shared broker.
  ///
  /// - Returns: the address of the virtual host, with the user.
  func makeUser(at address: String) async throws -> String {
    let url = try BrokerURL(address)
    let name = "\(user)-\(UUID().uuidString.lowercased())"
    try await BrokerNode.shared.ctl("add_user", name, name)
    try await BrokerNode.shared.ctl("set_permissions", "-p", url.virtualHost, name, configure, write, read)
    return "amqp://\(name):\(name)@\(url.host):\(url.port)/\(url.virtualHost)"
  }
}
