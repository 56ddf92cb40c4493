import Foundation
import Synchronization
import Teller
import TellerTesting
import TestSupport
import Testing

/// What the steps of plans did, in their order.
private final class Diary: Sendable {
  struct Entry: Hashable {
    var step: String
    var round: Int
  }

  private let all = Mutex<[Entry]>([])
  var entries: [Entry] { all.withLock(\.self) }
  var steps: [String] { entries.map(\.step) }

  func note(_ step: StepInfo?) {
    if let step { all.withLock { $0.append(Entry(step: step.name, round: step.round)) } }
  }
}

/// A step that notes that it ran.
private struct Note: JobHandler {
  static let kind: JobKind = "note"
  let diary: Diary

  func run(context: JobContext<JSONValue>) async throws -> NoResult {
    diary.note(context.step)
    return NoResult()
  }
}

/// A step that has its plan go back, so many times in each run.
private struct Expires: JobHandler {
  static let kind: JobKind = "expires"
  let diary: Diary
  let times: Int

  func run(context: JobContext<JSONValue>) async throws -> NoResult {
    diary.note(context.step)
    if context.step?.round ?? 0 <= times { throw PermanentFailure(code: "expired", message: "it has expired") }
    return NoResult()
  }
}

/// Two of these wait for each other.
private struct Meeting: JobHandler {
  static let kind: JobKind = "meeting"
  let came = Signals()

  func run(context: JobContext<JSONValue>) async throws -> NoResult {
    await came.meet()
    return NoResult()
  }
}

/// Lets two tasks go when both are there.
private final class Signals: Sendable {
  private let waiting = Mutex<CheckedContinuation<Void, Never>?>(nil)

  func meet() async {
    await withCheckedContinuation { continuation in
      let other = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
        defer { waiting = waiting == nil ? continuation : nil }
        return waiting
      }
      guard let other else { return }
      other.resume()
      continuation.resume()
    }
  }
}

@Suite("Plans on a real broker", .timeLimit(.minutes(10)))
struct PlanSystemTests {
  /// `TELLER_TEST_ORDERS=200` submits the nine steps in so many random orders.
  static let orders = ProcessInfo.processInfo.environment["TELLER_TEST_ORDERS"].flatMap { Int($0) } ?? 10

  static let names = [
    "network check", "location permission", "user information", "login", "app version", "active services",
    "optional update", "daily task", "full-screen banner",
  ]

  private static func nine(without left: String? = nil) -> [Plan.Step] {
    names.enumerated().compactMap { index, name in
      name == left ? nil : Plan.Step(name, kind: Note.kind, rank: (index + 1) * 10)
    }
  }

  private func play(_ steps: [Plan.Step], _ client: TellerClient, _ diary: Diary) async throws -> [String] {
    let before = diary.entries.count
    let outcome = try await client.submit(Plan(department: "init", steps: steps)).outcome()
    #expect(outcome.state == .succeeded)
    return Array(diary.steps.dropFirst(before))
  }

  @Test("nine steps in any order run by rank; also with one more first or last, and without the login")
  func anyOrder() async throws {
    let broker = try await BrokerNode.shared.makeVirtualHost()
    let diary = Diary()
    var random = SeededRandom(for: "orders of nine steps")
    let orders = (0..<Self.orders).map { _ in Self.nine().shuffled(using: &random) }
    try await TellerTesting.withSystem(
      serving: ["init": [Note(diary: diary)]], on: broker, ordered: ["init"]
    ) { system async throws in
      for order in orders {
        #expect(try await play(order, system.client, diary) == Self.names, "\(order.map(\.name))")
      }
      let first = Plan.Step("permission notice", kind: Note.kind, rank: 1)
      let last = Plan.Step("one more banner", kind: Note.kind, rank: 100)
      #expect(try await play(Self.nine() + [first], system.client, diary) == ["permission notice"] + Self.names)
      #expect(try await play([last] + Self.nine(), system.client, diary) == Self.names + ["one more banner"])
      let rest = Self.names.filter { $0 != "login" }
      #expect(try await play(Self.nine(without: "login"), system.client, diary) == rest)
    }
    print("\(orders.count) random orders of nine steps: each ran by rank")
  }

  @Test("two steps of one rank run beside each other, and the next rank waits for both")
  func beside() async throws {
    let broker = try await BrokerNode.shared.makeVirtualHost()
    let diary = Diary()
    let outcome = try await TellerTesting.withSystem(
      serving: ["init": [Meeting(), Note(diary: diary)]], on: broker, ordered: ["init"]
    ) { system async throws in
      let steps = [
        Plan.Step("last", kind: Note.kind, rank: 2), Plan.Step("one", kind: Meeting.kind, rank: 1),
        Plan.Step("other", kind: Meeting.kind, rank: 1),
      ]
      return try await system.client.submit(Plan(department: "init", steps: steps)).outcome()
    }
    #expect(outcome.state == .succeeded)
    #expect(diary.steps == ["last"])
  }

  @Test("a plan goes back as often as it may, then fails and keeps its gates shut; a new start begins anew")
  func bound() async throws {
    let broker = try await BrokerNode.shared.makeVirtualHost()
    let diary = Diary()
    let plan = Plan(
      "opening", department: "init", gates: ["post"],
      steps: [
        Plan.Step("user", kind: Note.kind, rank: 1),
        Plan.Step("login", kind: Expires.kind, rank: 2, reentry: Reentry(on: "expired", from: "user", atMost: 2)),
        Plan.Step("last", kind: Note.kind, rank: 3),
      ])
    try await TellerTesting.withSystem(
      serving: ["init": [Note(diary: diary), Expires(diary: diary, times: 9)], "post": []], on: broker,
      ordered: ["init"], kinds: ["letter": "post"], plans: [plan]
    ) { system async throws in
      let run = try await system.client.startPlan("opening")
      let failure = try #require(try await run.outcome().failure)
      #expect(failure.code == JobFailure.Code.reentryLimit)
      #expect(failure.message.contains("has gone back 2 times"))
      #expect(diary.steps == ["user", "login", "user", "login", "user", "login"])
      let details = try await system.client.plan("opening")
      #expect(details.phase == .failed && details.gates.allSatisfy { !$0.isOpen })
      let letter = JobID()
      try await system.client.submit(
        JobSubmission<JSONValue>(kind: "letter", payload: [], contentType: nil, id: letter)
      )
      .accepted()
      #expect(try await system.client.explain(letter).reasons.first?.hold == .gate)
      #expect(try await system.client.job(letter).hold == .gate)
      let again = try await system.client.startPlan("opening")
      #expect(try await again.outcome().failure?.code == JobFailure.Code.reentryLimit)
      #expect(again.duplicateOf == nil && again.id != run.id)
    }
    print(diary.entries.map { "\($0.step) \($0.round)" })
  }

  @Test("a push becomes an event by a service, another service accepts it, and it is acted on once")
  func pushes() async throws {
    let broker = try await BrokerNode.shared.makeVirtualHost()
    let diary = Diary()
    let plan = Plan(
      "opening", department: "init", steps: [Plan.Step("only", kind: Note.kind, rank: 1)],
      events: [PlanEvent("push", rank: 2, kind: Note.kind, whenOpen: .announce)])
    let (pushes, sender) = AsyncStream.makeStream(of: Push.self)
    let push = Push(id: JobID(), event: "push", payload: Array("{}".utf8))
    try await TellerTesting.withSystem(
      serving: ["init": [Note(diary: diary)]], on: broker, ordered: ["init"], plans: [plan]
    ) { system async throws in
      let client = system.client
      _ = try await client.startPlan("opening").outcome()
      client.add(Accepting(client: client))
      client.add(PushReceiver(pushes) { try await client.send($0) })
      // The link in the push counts as the push.
      for _ in 0..<2 { sender.yield(push) }
      let handle: JobHandle<JSONValue> = client.handle(of: push.id)
      #expect(try await handle.outcome(timeout: TestSystem.patience).state == .succeeded)
      #expect(try await client.event(push.id).state == .acted)
      #expect(try await client.acceptEvent(push.id) == false, "it was accepted before")
    }
    #expect(diary.steps == ["only", "push"])
  }
}

/// Accepts whatever is announced.
private struct Accepting: HostedService {
  let client: TellerClient

  func received(_ event: EventStatus) async throws {
    if event.state == .announced { try await client.acceptEvent(event.id) }
  }
}
