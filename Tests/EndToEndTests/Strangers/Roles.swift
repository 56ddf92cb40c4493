import AMQP
import BrokerSupport
import Foundation
import JobModel
import JobTransport
import SystemSupport
import TestSupport

/// A virtual host with the users of `Deploy/rabbitmq/definitions.json`, on the broker that tests share.
struct Roles {
  /// Its address, with a user that may do everything.
  let url: BrokerURL

  /// Every user of the definitions. Tests that run at the same time have them in common, each in its own virtual host.
  static let names = ["coordinator", "worker", "submitting-worker", "producer", "operator", "monitor"]
  static let password = "only-in-tests"

  /// Loads the definitions; `change` may add users before, such as one of a single department.
  static func make(_ change: (inout Definitions) throws -> Void = { _ in }) async throws -> Roles {
    let url = try BrokerURL(try await BrokerNode.shared.makeVirtualHost())
    var definitions = try Definitions(virtualHost: url.virtualHost)
    try change(&definitions)
    let text = try definitions.data().base64EncodedString()
    try await BrokerNode.shared.ctl("eval", "rabbit_definitions:import_raw(base64:decode(\"\(text)\")).")
    return Roles(url: url)
  }

  /// The address for one of the users.
  func url(of user: String) -> BrokerURL {
    var url = url
    (url.user, url.password) = (user, Roles.password)
    return url
  }

  func text(of user: String) -> String {
    let url = url(of: user)
    return "amqp://\(url.user):\(url.password)@\(url.host):\(url.port)/\(url.virtualHost)"
  }

  /// For a process that is to be that user.
  func environment(of user: String) -> [String: String] { ["TELLER_BROKER_URL": text(of: user)] }

  func connect(_ user: String, _ change: (inout ConnectionOptions) -> Void = { _ in }) async throws -> Connection {
    var options = ConnectionOptions.patient("test \(user)")
    change(&options)
    return try await Connection.open(url(of: user), options: options)
  }
}

/// The content of `definitions.json`, which is what a broker loads, with passwords.
struct Definitions {
  private var content: [String: any Sendable]

  init(virtualHost: String) throws {
    let file = PackageFolder.url.appending(path: "Deploy/rabbitmq/definitions.json")
    var text = try String(contentsOf: file, encoding: .utf8)
    for name in Roles.names { text = text.replacing("@\(name)@", with: Definitions.hash) }
    guard var content = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: any Sendable] else {
      throw CocoaError(.fileReadCorruptFile)
    }
    content["vhosts"] = [["name": virtualHost]]
    for key in ["permissions", "policies"] {
      let rows = content[key] as? [[String: any Sendable]] ?? []
      content[key] = rows.map { $0.merging(["vhost": virtualHost]) { _, new in new } }
    }
    self.content = content
  }

  /// One more user, with the permissions of another one in which a text is replaced.
  mutating func add(_ user: String, as other: String, replacing text: String, with replacement: String) {
    for key in ["users", "permissions"] {
      var rows = content[key] as? [[String: any Sendable]] ?? []
      let name = key == "users" ? "name" : "user"
      guard var row = rows.first(where: { $0[name] as? String == other }) else { continue }
      row[name] = user
      for key in ["configure", "write", "read"] {
        if let pattern = row[key] as? String { row[key] = pattern.replacing(text, with: replacement) }
      }
      rows.append(row)
      content[key] = rows
    }
  }

  /// One more user, whom the broker lets do everything.
  mutating func addUnlimited(_ user: String) {
    add(user, as: "producer", replacing: "^teller", with: ".*|^teller")
  }

  func data() throws -> Data { try JSONSerialization.data(withJSONObject: content) }

  /// RabbitMQ's own hash of `Roles.password`: a salt of four bytes, and the SHA-256 of salt and password.
  private static let hash = "AQIDBKQLzhjKOldzv3h2L0nl/8WJGHqAWYuyokPzli1SfToa"
}
