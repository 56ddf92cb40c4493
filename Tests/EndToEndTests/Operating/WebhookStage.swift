import Foundation
import SystemSupport
import TestSupport
import Testing

/// A coordinator with a worker, `teller webhooks`, and a receiver that is not Teller's.
struct WebhookStage {
  let system: TellerSystem
  let coordinator: RunningProcess
  let worker: RunningProcess
  let receiver: RunningProcess
  let sender: RunningProcess
  var addresses: WebhookAddresses

  /// `wrapper`: the command that starts `teller webhooks`.
  static func start(_ ways: [String], by wrapper: [String] = []) async throws -> WebhookStage {
    let system = try await TellerSystem.onSharedBroker()
    try WebhookAddresses.writeSecrets(to: system)
    let (gone, down) = try await system.receiver(at: 0)
    try await gone.close()
    let (receiver, port) = try await system.receiver(at: 0)
    let addresses = WebhookAddresses(ways: ways, port: port, down: down)
    try addresses.configure(system)
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=2")
    let sender = try system.launch("teller", ["webhooks"], by: wrapper)
    try await sender.waitForLine(containing: "ready", within: TellerSystem.limit)
    return WebhookStage(
      system: system, coordinator: coordinator, worker: worker, receiver: receiver, sender: sender,
      addresses: addresses)
  }

  /// Allows the webhook `inside` to reach this machine.
  func allowInside() async throws {
    try addresses.configure(system, inside: "[localhost]")
    let line = sender.nextLineNumber
    sender.signal(SIGHUP)
    try await sender.waitForLine(containing: "reloaded", since: line, within: TellerSystem.limit)
    try await sender.waitForLine(containing: "ready", since: line, within: TellerSystem.limit)
  }

  /// Changes the file, and has one process read it before the other one. Deliveries go on when both have read it.
  mutating func configure(_ ways: [String], first: RunningProcess, then other: RunningProcess?) async throws {
    addresses = WebhookAddresses(ways: ways, port: addresses.port, down: addresses.down)
    try addresses.configure(system)
    let line = sender.nextLineNumber
    first.signal(SIGHUP)
    try await sender.waitForLine(containing: "reading the webhooks anew", since: line, within: TellerSystem.limit)
    other?.signal(SIGHUP)
    let last = try await sender.waitForLine(containing: "ready", since: line, within: TellerSystem.limit)
    #expect(ways.allSatisfy { last.contains("webhook-\($0)=") }, "\(last)")
  }

  /// Has so many things happen that are told: jobs succeed and fail, and a department is paused and goes on.
  ///
  /// - Returns: What the coordinator told of them.
  func happen(_ count: Int) async throws -> [Notification] {
    for change in ["pause", "resume"] { #expect(try await system.teller(change, "other").status == 0) }
    let jobs = count - 2
    let failing = try await system.submit(jobs / 2, #"{"kind": "fail", "payload": {"permanent": true}}"#)
    let states = try await system.outcomes(of: failing)
    #expect(Set(states.values) == ["failed"])
    let last = try await system.submit(jobs - failing.count, #"{"kind": "noop"}"#)
    _ = try await system.outcomes(of: last)
    let wanted = Set(failing + last)
    var told: [Notification] = []
    try await eventually("the coordinator has told all of it", within: TellerSystem.limit) {
      told = try await notifications(until: last[0])
      return Set(told.compactMap(\.job)) == wanted
    }
    #expect(told.count == count, "\(told)")
    return told
  }

  /// One notification, as `watch` prints it.
  struct Notification: Decodable {
    let epoch: Int
    let seq: Int64
    let event: String
    var job: String?
    var kind: String?
    var department: String?

    /// What the id of each message must be that tells it.
    var id: String { "\(epoch)/\(seq)" }
  }

  /// Everything that was told so far, but of deliveries.
  private func notifications(until job: String) async throws -> [Notification] {
    try await system.watch(since: "start", untilJob: job).compactMap {
      try? JSONDecoder().decode(Notification.self, from: Data($0.utf8))
    }.filter { $0.department?.hasPrefix("webhook-") != true }
  }

  struct Request: Decodable {
    var way: String
    var id: String?
    /// Of the body.
    var event: String?
    var job: String?
    var status: Int
    var isVerified: Bool
    var after: Double

    enum CodingKeys: String, CodingKey { case way, id, event, job, status, verified, after }

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      way = try members.decode(String.self, forKey: .way)
      id = try members.decodeIfPresent(String.self, forKey: .id)
      event = try members.decodeIfPresent(String.self, forKey: .event)
      job = try members.decodeIfPresent(String.self, forKey: .job)
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

  /// Each of these notifications is taken by the receiver, and no other one is sent. Each request was signed.
  func expectDelivered(_ way: String, _ told: [Notification], at receiver: RunningProcess? = nil) async throws {
    let wanted = Dictionary(uniqueKeysWithValues: told.map { ($0.id, $0) })
    try await eventually("the deliveries of \(way)", within: TellerSystem.limit, lastState: { state(way, receiver) }) {
      taken(way, at: receiver) == Set(wanted.keys)
    }
    for request in requests(way, at: receiver) {
      #expect(request.isVerified, "\(way)")
      let notification = try #require(wanted[request.id ?? ""], "\(way): \(request)")
      // Slack is told in words.
      guard way != "slack" else { continue }
      #expect(request.event == notification.event && request.job == notification.job, "\(way): \(request)")
    }
  }

  /// The ids of the notifications that the receiver has taken.
  private func taken(_ way: String, at receiver: RunningProcess?) -> Set<String> {
    Set(requests(way, at: receiver).filter { $0.status / 100 == 2 }.compactMap(\.id))
  }

  /// How many lines of a log a failure shows, of its begin and of its end.
  private static let mostLines = 40

  private func state(_ way: String, _ receiver: RunningProcess?) -> String {
    let requests = requests(way, at: receiver).map { "\($0.id ?? "") \($0.status)" }
    let said = sender.text(of: .standardError).filter { $0.contains("webhook-\(way)") || $0.contains("\"\(way)\"") }
    let lines = said.prefix(WebhookStage.mostLines) + ["…"] + said.suffix(WebhookStage.mostLines)
    return "\(requests.joined(separator: ", ")); teller webhooks said:\n  \(lines.joined(separator: "\n  "))"
  }

  /// Each delivery has failed, since its address may not be reached.
  func expectForbidden(_ way: String, count: Int) async throws {
    var failed: [[String: any Sendable]] = []
    try await eventually("every delivery has failed", within: TellerSystem.limit, lastState: { "\(failed)" }) {
      let limit = "\(count + 1)"
      failed = try await system.ask("failed", "--json", "--department", "webhook-\(way)", "--limit", limit).objects
      return failed.count == count
    }
    let errors = failed.compactMap { ($0["error"] as? [String: any Sendable])?["error"] as? String }
    #expect(Set(errors) == ["webhook_forbidden"], "\(failed)")
    #expect(requests(way).isEmpty)
  }

  /// Neither a log nor the ledger has the path of an address, or a secret.
  func expectNoSecret() throws {
    let secrets = WebhookAddresses.secrets
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
    let status = try await sender.waitForExit(within: TellerSystem.limit)
    #expect(status == 0, "\(sender.text(of: .standardError).suffix(5)), \(system.logs)")
    for process in [receiver, worker, coordinator] { try await process.close() }
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
