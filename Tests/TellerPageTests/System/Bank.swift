import JobModel
import Synchronization
import Teller
import TellerTesting
import TestSupport

@testable import TellerPage

/// Succeeds, fails, or waits until the test lets it go.
struct Visit: JobHandler {
  static let kind: JobKind = "visit"
  static let policy = HandlerPolicy(attempts: 1)
  enum Payload: String, Codable, Sendable { case succeed, fail, wait }

  let door: Door

  func run(context: JobContext<Payload>) async throws -> String {
    switch context.payload {
    case .succeed: break
    case .fail: throw PermanentFailure(code: "closed", message: "<script>alert(1)</script>")
    case .wait: try await door.isOpen.value
    }
    return "served"
  }
}

/// Keeps handlers waiting until a test opens it.
final class Door: Sendable {
  let isOpen = OneShot<Void>()
  func open() { isOpen.fulfil(.success(())) }
}

/// A whole system with the page in front of it.
struct Bank: Sendable {
  let system: TestSystem
  let browser: Browser
  let door: Door
  let broker: String

  /// Runs the body with a bank of two departments, and a plan that waits for nobody.
  static func open(
    screens: [PageScreen] = [], _ body: @escaping @Sendable (Bank) async throws -> Void
  ) async throws {
    let broker = try await BrokerNode.shared.makeVirtualHost()
    let door = Door()
    let plan = Plan(
      "opening", department: "init",
      steps: [
        try Plan.Step("login", Visit.self, .succeed, rank: 1), try Plan.Step("banner", Visit.self, .wait, rank: 2),
      ],
      events: [PlanEvent("push", rank: 3, kind: Visit.kind, whenOpen: .announce)])
    try await TellerTesting.withSystem(
      serving: ["front": [Visit(door: door)], "init": [Visit(door: door)]], on: broker, tellers: 1, ordered: ["init"],
      kinds: [Visit.kind: "front"], plans: [plan]
    ) { system in
      // What still waits would keep the worker from its end.
      defer { door.open() }
      try await eventually("the worker serves", within: patience) {
        let status = try await system.client.status()
        return status.departments.allSatisfy { $0.tellers > 0 } && status.departments.count == 2
      }
      try await PageStage.serving(client: system.client, source: nil, screens: screens) { browser in
        defer { door.open() }
        try await body(Bank(system: system, browser: browser, door: door, broker: broker))
      }
    }
  }

  /// Submits visits to the counter.
  func submit(_ payloads: Visit.Payload...) async throws -> [JobID] {
    var ids: [JobID] = []
    for payload in payloads {
      let job = try await system.client.submit(Visit.self, payload, department: "front")
      // What comes next comes over another connection, and may be sooner.
      try await job.accepted(timeout: patience)
      ids.append(job.id)
    }
    return ids
  }

  /// Sends an action by a form of its own, and gives the answer.
  func act(_ name: String, _ members: String = "", form: String = JobID().description) async throws -> Browser.Answer {
    let rest = members.isEmpty ? "" : ",\(members)"
    return try await browser.post("/api/actions/\(name)", #"{"form":"\#(form)"\#(rest)}"#)
  }

  /// What is recorded, the newest first.
  func actions() async throws -> [OperatorAction] { try await system.client.actions().actions }

  /// Waits until the counter has so many jobs in that state.
  func wait(for count: Int, _ state: JobState) async throws {
    try await eventually("\(count) are \(state)", within: patience) {
      try await system.client.jobs(JobQuery(department: "front", state: state)).jobs.count == count
    }
  }
}
