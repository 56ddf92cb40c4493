import Foundation
import SystemSupport
import TestSupport

/// The webhooks of a `teller.yaml`. Each has the name of what its receiver does: see `receiver.py`.
struct WebhookAddresses {
  let ways: [String]
  let port: Int
  /// The port of a receiver that is not there yet.
  let down: Int

  /// What stands in the path of each address. Nobody may see it.
  private static let path = "open-sesame"
  private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
  private static let previous = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
  /// What nobody may see.
  static let secrets = [path, secret, previous]

  /// What is said of some webhooks beside the address.
  private static let more = [
    "slow": "limits: {time: 300s, concurrency: 100}, ", "hang": "limits: {time: 300ms}, ",
    "failures": "on: {event: failed}, ",
    "pauses": "on: {event: [paused, resumed], department: other}, ", "rest": "on: {except: {kind: [fail, noop]}}, ",
  ]

  static func writeSecrets(to system: TellerSystem) throws {
    for (name, secret) in [("secret", secret), ("previous", previous)] {
      try Data((secret + "\n").utf8).write(to: system.folder.appending(name))
    }
  }

  /// `inside`: what the webhook of that name allows.
  func configure(_ system: TellerSystem, inside: String = "[]") throws {
    let slack = system.folder.appending("slack")
    try Data("http://localhost:\(port)/slack/\(WebhookAddresses.path)\n".utf8).write(to: slack)
    let webhooks = ways.map { webhook($0, system, inside: inside) }.joined()
    try system.configure(more: "webhooks:\n" + webhooks)
  }

  private func webhook(_ way: String, _ system: TellerSystem, inside: String) -> String {
    let quick = "attempts: 100, retry: {first: 50ms, factor: 2, max: 2s, jitter: 0}"
    let secrets =
      "secret_file: \(system.folder.appending("secret").path), "
      + "previous_secret_file: \(system.folder.appending("previous").path)"
    let settings =
      switch way {
      case "slack":
        "address_file: \(system.folder.appending("slack").path), format: slack, \(quick), allow: [localhost]"
      // Its address has a name of this machine.
      case "inside":
        "\(address("localhost", port, way)), \(secrets), attempts: 2, retry: {first: 1ms}, allow: \(inside)"
      case "down": "\(address("127.0.0.1", down, way)), \(secrets), \(quick), allow: [127.0.0.1]"
      default: "\(address("127.0.0.1", port, way)), \(secrets), \(quick), allow: [127.0.0.1]"
      }
    return "  \(way): {\(WebhookAddresses.more[way] ?? "")\(settings)}\n"
  }

  private func address(_ host: String, _ port: Int, _ way: String) -> String {
    "address: 'http://\(host):\(port)/\(way)/\(WebhookAddresses.path)'"
  }
}
