import HostingSupport
import JobModel
import JobTransport
import Synchronization
import Testing
import TestSupport

@testable import Hosting
@testable import Teller

@Suite("A push receiver and its client", .serialized, .timeLimit(.minutes(15)))
struct PushServicesTests {
  private let log = ServiceLog()
  private let told = ToldCalls()

  private func receiver(sendingBy client: TellerClient) -> PushReceiver<AsyncStream<Push>> {
    var limits = PushLimits()
    (limits.firstPause, limits.longestPause, limits.lastRound) = (.milliseconds(10), .milliseconds(100), patience)
    return PushReceiver(nil, limits: limits, logger: log.logger) { push in
      try await client.send(push)
      told.note("sent \(push.id)")
    }
  }

  private func push(_ event: EventName = "push") -> Push { Push(id: JobID(), event: event, payload: Array("7".utf8)) }

  @Test("lose no push while the broker is away for longer than many tries take")
  func brokerAway() async throws {
    let node = try await BrokerNode.start()
    let first = try await CoordinatorPart.start(at: node.url)
    var timeouts = ClientTimeouts.quick
    timeouts.submit = .seconds(1)
    let sender = try await first.client(timeouts: timeouts)
    // The host is on a broker that stays: it is open all the time.
    let stage = try await CoordinatorPart.start()
    let host = try await stage.client()
    let (receiver, push) = (receiver(sendingBy: sender), push())
    host.add(receiver)
    try await node.writeDown()
    try await node.kill()
    #expect(await receiver.receive(push))
    try await log.wait(for: "push push was not taken, try 5")
    try await node.start()
    await first.close()
    var second: CoordinatorPart?
    try await eventually("the queues of the restarted broker are back", within: setUpPatience) {
      second = try await CoordinatorPart.start(at: node.url)
      return true
    }
    let coordinator = try #require(second)
    let answering = Task { while true { try await coordinator.answer(coordinator.nextEvent(), .accepted) } }
    try await told.wait(for: "sent \(push.id)")
    answering.cancel()
    await host.close()
    #expect(!log.lines.contains { $0.hasPrefix("error:") })
    await sender.close()
    for part in [stage, coordinator] { await part.close() }
    try await node.close()
  }

  @Test("have sent what they hold before the client disconnects")
  func closing() async throws {
    var timeouts = ClientTimeouts.quick
    timeouts.close = patience
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client(timeouts: timeouts)
    client.core.services.limits.withLock { $0.stop = StepLimit(each: patience, all: patience) }
    let (receiver, pushes) = (receiver(sendingBy: client), [push(), push(), push()])
    client.add(receiver)
    for push in pushes { #expect(await receiver.receive(push)) }
    var events = [try await coordinator.nextEvent()]
    // One is in hand, and the others wait for it.
    let closing = Task { await client.close() }
    for _ in 1...2 { events.append(try await coordinator.nextEvent()) }
    #expect(Set(events.map(\.id)) == Set(pushes.map(\.id)))
    for event in events { try await coordinator.answer(event, .accepted) }
    try await limited("the close") { await closing.value }
    #expect(Set(told.all) == Set(pushes.map { "sent \($0.id)" }))
    #expect(!log.lines.contains { $0.hasPrefix("error:") || $0.hasPrefix("warning:") })
    await coordinator.close()
  }

  @Test("do not send again what the coordinator refuses; but what it cannot keep now")
  func refused() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    let (receiver, unknown, late) = (receiver(sendingBy: client), push("unknown"), push("late"))
    client.add(receiver)
    #expect(await receiver.receive(unknown))
    try await coordinator.answer(try await coordinator.nextEvent(), .rejected("unknown_event"))
    try await log.wait(for: "push unknown is refused for good")
    #expect(await receiver.receive(late))
    for answer in [JobModel.Reply.Content.rejected("too_many_events"), .accepted] {
      let event = try await coordinator.nextEvent()
      #expect(event.id == late.id && event.content.payload == late.payload)
      try await coordinator.answer(event, answer)
    }
    try await told.wait(for: "sent \(late.id)")
    let errors = log.lines.filter { $0.hasPrefix("error:") }
    #expect(errors.count == 1 && errors[0].contains("\(unknown.id)"), "\(errors)")
    await client.close()
    await coordinator.close()
  }

  @Test("do not send a payload that is not one JSON value: it could choose the plan, or what becomes of the message")
  func noJSON() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    let receiver = receiver(sendingBy: client)
    client.add(receiver)
    for payload in ["hello", #"{"page":1},"plan":"other""#, "1 2", "{"] {
      let push = Push(id: JobID(), event: "push", payload: Array(payload.utf8))
      let error = try await #require(throws: TellerError.self) {
        try await limited("the refusal") { try await client.send(push) }
      }
      guard case .invalid(let reason) = error else { throw error }
      #expect(reason.hasPrefix("the payload of event push (\(push.id)) is not JSON: "), "\(payload)")
      #expect(await receiver.receive(push))
      try await log.wait(for: "push push is refused for good: \(reason) push=\(push.id)")
    }
    await #expect(throws: TellerError.self) { try await client.startPlan("day", json: Array("1,2".utf8), id: JobID()) }
    let empty = Push(id: JobID(), event: "push")
    #expect(await receiver.receive(empty))
    let event = try await coordinator.nextEvent()
    #expect(event.id == empty.id && event.plan == nil, "nothing was sent of the others")
    try await coordinator.answer(event, .accepted)
    try await told.wait(for: "sent \(empty.id)")
    await client.close()
    await coordinator.close()
  }

  @Test("know which errors are about the push itself")
  func finalRefusals() {
    typealias Code = JobFailure.Code
    for code in [Code.unknownEvent, Code.badEvent, Code.dismissed, Code.idTaken, Code.notAllowed] {
      #expect(JobError.rejected(JobID(), JobFailure(code: code, message: "")).isFinalRefusal, "\(code)")
    }
    let full = JobFailure(code: Code.tooManyEvents, message: "")
    #expect(!JobError.rejected(JobID(), full).isFinalRefusal)
    #expect(TellerError.invalid(reason: "").isFinalRefusal)
    #expect(TellerError.payloadTooLarge(bytes: 2, limit: 1).isFinalRefusal)
    for error in [TellerError.brokerUnavailable(reason: ""), .closed, .noCoordinatorEver, .unknownJob(JobID())] {
      #expect(!error.isFinalRefusal, "\(error)")
    }
  }
}

extension CoordinatorPart {
  /// The next submission, which must be an event.
  fileprivate func nextEvent() async throws -> EventSubmission {
    guard case .event(let event) = try await nextSubmission() else {
      throw TellerError.notUnderstood(reason: "the submission is no event")
    }
    return event
  }

  fileprivate func answer(_ event: EventSubmission, _ content: JobModel.Reply.Content) async throws {
    try await answer(event.id, event.reply, content)
  }
}

extension JobModel.Reply.Content {
  fileprivate static func rejected(_ code: String) -> Self { .rejected(JobFailure(code: code, message: "no")) }
}
