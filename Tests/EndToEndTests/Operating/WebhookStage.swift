import Foundation
import SystemSupport
import TestSupport
import Testing

/// A coordinator, `teller webhooks`, and a receiver that is not Teller's.
struct WebhookStage {
  let system: TellerSystem
  let coordinator: RunningProcess
  let receiver: RunningProcess
  let sender: RunningProcess
  let port: Int
  /// The port of a receiver that is not there yet.
  let down: Int
  /// How many notifications are delivered to each.
  let count: Int

  /// What stands in the path of each address. Nobody may see it.
  static let path = "open-sesame"
  private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
  private static let previous = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
  private static let ways = ["good", "error", "busy", "hang", "early", "redirect", "flood", "slow", "gone"]

  static func start(count: Int) async throws -> WebhookStage {
    let system = try await TellerSystem.onSharedBroker()
    for (name, secret) in [("secret", secret), ("previous", previous)] {
      try Data((secret + "\n").utf8).write(to: system.folder.appending(name))
    }
    let (gone, down) = try await system.receiver(at: 0)
    try await gone.close()
    let (receiver, port) = try await system.receiver(at: 0)
    try Data("http://localhost:\(port)/slack/\(path)\n".utf8).write(to: system.folder.appending("slack"))
    try system.configure(more: webhooks(of: system, port, down: down, inside: "[]"))
    let coordinator = try await system.startCoordinator()
    let sender = try system.launch("teller", ["webhooks"])
    try await sender.waitForLine(containing: "ready", within: TellerSystem.limit)
    return WebhookStage(
      system: system, coordinator: coordinator, receiver: receiver, sender: sender, port: port, down: down,
      count: count)
  }

  /// `inside`: what the webhook `inside` allows; its address has a name of this machine.
  private static func webhooks(of system: TellerSystem, _ port: Int, down: Int, inside: String) -> String {
    let secrets =
      "secret_file: \(system.folder.appending("secret").path), "
      + "previous_secret_file: \(system.folder.appending("previous").path)"
    let quick = "attempts: 100, retry: {first: 50ms, factor: 2, max: 2s, jitter: 0}"
    func webhook(_ name: String, _ port: Int, _ more: String) -> String {
      "  \(name): {address: 'http://127.0.0.1:\(port)/\(name)/\(path)', \(secrets), \(more), allow: [127.0.0.1]}\n"
    }
    let all = ways.map { webhook($0, port, quick + ($0 == "hang" ? ", limits: {time: 300ms}" : "")) }
    return "webhooks:\n" + all.joined() + webhook("down", down, quick)
      + "  slack: {address_file: \(system.folder.appending("slack").path), format: slack, \(quick), allow: [localhost]}\n"
      + "  inside: {address: 'http://localhost:\(port)/inside/\(path)', \(secrets), attempts: 2, "
      + "retry: {first: 1ms}, allow: \(inside)}\n"
  }

  /// Allows the webhook `inside` to reach this machine.
  func allowInside() async throws {
    try system.configure(more: WebhookStage.webhooks(of: system, port, down: down, inside: "[localhost]"))
    let line = sender.nextLineNumber
    sender.signal(SIGHUP)
    try await sender.waitForLine(containing: "reloaded", since: line, within: TellerSystem.limit)
    try await sender.waitForLine(containing: "ready", since: line, within: TellerSystem.limit)
  }

  /// Submits the jobs that a rule will make.
  @discardableResult
  func submit(to webhook: String) async throws -> [String] {
    let lines = (1...count).map { number in
      let notification =
        #"{"epoch":1,"seq":\#(number),"event":"failed","kind":"deposit","department":"counter","attempt":1}"#
      return #"{"kind":"webhook","department":"webhook-\#(webhook)","payload":\#(notification)}"# + "\n"
    }
    let ended = try await system.run("teller", ["submit", "--batch", "-", "--json"], input: lines.joined())
    let jobs = ended.objects.filter { $0["event"] as? String == "accepted" }.compactMap { $0["job"] as? String }
    #expect(jobs.count == count, "\(ended.errors)")
    return jobs
  }

  struct Request: Decodable {
    var way: String
    var id: String?
    var status: Int
    var isVerified: Bool
    var after: Double

    enum CodingKeys: String, CodingKey { case way, id, status, verified, after }

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      way = try members.decode(String.self, forKey: .way)
      id = try members.decodeIfPresent(String.self, forKey: .id)
      status = try members.decode(Int.self, forKey: .status)
      after = try members.decode(Double.self, forKey: .after)
      // Else it is the text of the library's error.
      isVerified = (try? members.decode(Bool.self, forKey: .verified)) ?? false
    }
  }

  /// What the receiver was asked in one way, so far.
  func requests(_ way: String, at receiver: RunningProcess? = nil) -> [Request] {
    (receiver ?? self.receiver).text(of: .standardOutput).compactMap {
      try? JSONDecoder().decode(Request.self, from: Data($0.utf8))
    }.filter { $0.way == way }
  }

  /// Each notification is taken by the receiver, and each request was signed.
  func expectDelivered(_ way: String, at receiver: RunningProcess? = nil) async throws {
    let wanted = Set((1...count).map { "1/\($0)" })
    try await eventually("the deliveries of \(way)", within: TellerSystem.limit, lastState: { state(way, receiver) }) {
      taken(way, at: receiver) == wanted
    }
    for request in requests(way, at: receiver) {
      #expect(request.isVerified, "\(way)")
      #expect(wanted.contains(request.id ?? ""), "\(way)")
    }
  }

  /// The ids of the notifications that the receiver has taken.
  private func taken(_ way: String, at receiver: RunningProcess?) -> Set<String> {
    Set(requests(way, at: receiver).filter { $0.status / 100 == 2 }.compactMap(\.id))
  }

  private func state(_ way: String, _ receiver: RunningProcess?) -> String {
    let requests = requests(way, at: receiver).map { "\($0.id ?? "") \($0.status)" }
    return "\(requests.joined(separator: ", ")): \(system.logs)"
  }

  /// Neither a log nor the ledger has the path of an address, or a secret.
  func expectNoSecret() throws {
    let secrets = [WebhookStage.path, WebhookStage.secret, WebhookStage.previous]
    let logs = (sender.text(of: .standardError) + coordinator.text(of: .standardError)).joined(separator: "\n")
    for secret in secrets { #expect(!logs.contains(secret)) }
    let folder = system.ledger.deletingLastPathComponent()
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    for file in files where file.lastPathComponent.hasPrefix(system.ledger.lastPathComponent) {
      let bytes = try Data(contentsOf: file)
      for secret in secrets { #expect(bytes.firstRange(of: Data(secret.utf8)) == nil, "\(file.lastPathComponent)") }
    }
  }

  func close() async throws {
    sender.signal(SIGTERM)
    #expect(try await sender.waitForExit(within: TellerSystem.limit) == 0, "\(system.logs)")
    for process in [receiver, coordinator] { try await process.close() }
  }
}

extension TellerSystem {
  /// A receiver that listens. Port 0: any.
  func receiver(at port: Int) async throws -> (RunningProcess, port: Int) {
    let secrets = try ["secret", "previous"].map { name in
      try String(contentsOf: folder.appending(name), encoding: .utf8).trimmingCharacters(in: .newlines)
    }
    let receiver = try launchClient("receiver.py", ["\(port)"] + secrets)
    let line = try await receiver.waitForLine(containing: "listening ", within: TellerSystem.limit)
    return (receiver, try #require(line.split(separator: " ").last.flatMap { Int($0) }))
  }
}
