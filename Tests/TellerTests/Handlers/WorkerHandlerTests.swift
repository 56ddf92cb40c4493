import Foundation
import JobModel
import Logging
import Testing

@testable import Teller

private struct Echo: JobHandler {
  static let kind: JobKind = "echo"
  struct Item: Codable, Sendable, Hashable { var price: Int }
  struct Payload: Codable, Sendable, Hashable { var items: [Item] }
  func run(context: JobContext<Payload>) async throws -> Payload { context.payload }
}

private struct Throwing: JobHandler {
  static let kind: JobKind = "throwing"
  struct Payload: Codable, Sendable {}
  let error: any Error
  func run(context: JobContext<Payload>) async throws -> NoResult { throw error }
}

private struct Odd: JobHandler {
  static let kind: JobKind = "odd"
  static let policy = HandlerPolicy(attempts: 0)
  func run(context: JobContext<NoResult>) async throws -> NoResult { NoResult() }
}

private struct Sized: JobHandler {
  static let kind: JobKind = "sized"
  struct Payload: Codable, Sendable { var size: Int }
  func run(context: JobContext<Payload>) async throws -> String { String(repeating: "x", count: context.payload.size) }
}

private struct Exact: JobHandler {
  static let kind: JobKind = "exact"
  struct Payload: Codable, Sendable { var n: UInt64 }
  func run(context: JobContext<Payload>) async throws -> String {
    String(decoding: context.payloadBytes, as: UTF8.self)
  }
}

@Suite("What a handler's run comes to")
struct WorkerHandlerTests {
  private func run(
    _ handler: some JobHandler, _ payload: String, cancelled reason: RunControl.Reason? = nil
  ) async -> AttemptResult {
    do {
      let output = try await RegisteredHandler(handler).run(
        JobInfo(kind: "echo", department: "deposit"), Array(payload.utf8), RunLine(), Logger(label: "test"))
      return .succeeded(result: output.bytes, contentType: output.contentType)
    } catch {
      return AttemptResult(thrown: error, cancelled: reason)
    }
  }

  private func failure(
    _ handler: some JobHandler, _ payload: String, cancelled reason: RunControl.Reason? = nil
  ) async -> (failure: JobFailure, isPermanent: Bool)? {
    guard case .failed(let failure, let isPermanent) = await run(handler, payload, cancelled: reason) else {
      return nil
    }
    return (failure, isPermanent)
  }

  @Test("whatever a cancelled handler throws is a timeout or a cancellation, and may be tried again")
  func cancelled() async throws {
    for error: any Error in [CancellationError(), PermanentFailure(code: "no_account", message: "there is none")] {
      let late = try #require(await failure(Throwing(error: error), "{}", cancelled: .timeout(.seconds(3))))
      #expect(late.failure == .timeout(.seconds(3)))
      #expect(!late.isPermanent)
      let void = try #require(await failure(Throwing(error: error), "{}", cancelled: .jobEnded))
      #expect(void.failure.code == "cancelled")
      #expect(!void.isPermanent)
    }
  }

  @Test("what a cancelled handler returns counts")
  func cancelledInVain() async {
    let payload = #"{"items":[{"price":3}]}"#
    #expect(
      await run(Echo(), payload, cancelled: .timeout(.seconds(3)))
        == .succeeded(result: Array(payload.utf8), contentType: "application/json"))
  }

  @Test("the first reason to cancel a run counts, also one that was there before its task")
  func reasons() async {
    let control = RunControl()
    #expect(control.cancel(.jobEnded))
    #expect(!control.cancel(.timeout(.seconds(1))))
    #expect(control.reason == .jobEnded)
    let task = Task { while !Task.isCancelled { await Task.yield() } }
    control.attach(task)
    await task.value
  }

  @Test("a handler has the bytes of its payload, and a step's payload is what its type has written")
  func exact() async throws {
    let payload = #"{ "n":18446744073709551615, "price": 1.10, "m":1e2 }"#
    guard case .succeeded(let result, _) = await run(Exact(), payload) else { return #expect(Bool(false)) }
    #expect(try JSONDecoder().decode(String.self, from: Data(result)) == payload)
    let step = try Plan.Step("a", Exact.self, Exact.Payload(n: .max), rank: 1)
    let plan = Plan(department: "init", steps: [step])
    #expect(try plan.definition().steps.first?.payload == Array(#"{"n":18446744073709551615}"#.utf8))
  }

  @Test("what the handler returns is the result, as JSON")
  func result() async {
    let expected = AttemptResult.succeeded(
      result: Array(#"{"items":[{"price":3}]}"#.utf8), contentType: "application/json")
    #expect(await run(Echo(), #"{"items":[{"price":3}]}"#) == expected)
  }

  @Test("a thrown JobFailure keeps its code, and the job may be tried again")
  func jobFailure() async throws {
    let thrown = JobFailure(code: "no_money", message: "the account is empty")
    let failed = try #require(await failure(Throwing(error: thrown), "{}"))
    #expect(failed.failure == thrown)
    #expect(!failed.isPermanent)
  }

  @Test("a PermanentFailure keeps its code, and the job is not tried again")
  func permanentFailure() async throws {
    let thrown = PermanentFailure(code: "no_account", message: "there is no such account")
    let failed = try #require(await failure(Throwing(error: thrown), "{}"))
    #expect(failed.failure == JobFailure(code: "no_account", message: "there is no such account"))
    #expect(failed.isPermanent)
  }

  @Test("a handler may snooze and discard its job; after its time limit neither counts")
  func earlyEnds() async throws {
    let context = JobContext(kind: "echo", department: "deposit", payload: NoResult())
    let snooze = try #require(throws: JobSnooze.self) { try context.snooze(for: .seconds(30)) }
    let discard = try #require(throws: JobDiscard.self) { try context.discard("the customer has left") }
    #expect(await run(Throwing(error: snooze), "{}") == .snoozed(.seconds(30)))
    let reason = JobFailure(code: "discarded", message: "the customer has left")
    #expect(await run(Throwing(error: discard), "{}") == .discarded(reason))
    for error: any Error in [snooze, discard] {
      let late = try #require(await failure(Throwing(error: error), "{}", cancelled: .timeout(.seconds(3))))
      #expect(late.failure == .timeout(.seconds(3)))
    }
    #expect(HandlerPolicy(retry: RetrySettings(jitter: 20)).problem != nil)
    #expect(HandlerPolicy(retry: RetrySettings(factor: .infinity)).problem != nil)
    #expect(HandlerPolicy(attempts: 100, retry: RetrySettings(), timeout: .seconds(60)).problem == nil)
    #expect(JobSnooze(for: .seconds(-1)).time == JobSnooze.shortest)
    #expect(JobSnooze(for: .seconds(1_000 * 86_400)).time == JobSnooze.longest)
  }

  @Test("any other error is a handler_error with its description, cut to the limit")
  func otherError() async throws {
    struct Oops: Error, CustomStringConvertible {
      var description: String { String(repeating: "o", count: 10_000) }
    }
    let failed = try #require(await failure(Throwing(error: Oops()), "{}"))
    #expect(failed.failure.code == "handler_error")
    #expect(failed.failure.message == String(repeating: "o", count: JobFailure.longestMessage))
    #expect(!failed.isPermanent)
  }

  @Test(
    "a payload that cannot be read fails its attempt, not for good, and the message says where",
    arguments: [
      (#"{"items":[{"price":1},{"price":"much"}]}"#, #""items[1].price""#),
      (#"{"items":[{}]}"#, #""items[0]" has no member "price""#),
      (#"{"items":null}"#, #""items" is null"#),
      ("{", "not what its handler expects"),
      ("", #"no member "items""#),
      // What all of Teller refuses.
      (#"{"items":[],}"#, "not JSON"), (#"{"items":[],"items":[]}"#, #""items" stands twice"#),
      (#"{"items":[],"more":01}"#, "not JSON"), (#"{"items":[],"more":"\ud800"}"#, "not JSON"),
      ("{\"items\":[],\"more\":\"\t\"}", "not JSON"),
      (#"{"items":"# + String(repeating: "[", count: 600) + String(repeating: "]", count: 600) + "}", "512"),
    ])
  func badPayload(payload: String, place: String) async throws {
    let failed = try #require(await failure(Echo(), payload))
    #expect(failed.failure.code == "bad_payload")
    #expect(failed.failure.message.contains(place), "\(failed.failure.message)")
    #expect(!failed.isPermanent)
  }

  @Test("an empty payload is an object without members")
  func emptyPayload() async throws {
    let failed = try #require(await failure(Throwing(error: JobFailure(code: "reached", message: "")), ""))
    #expect(failed.failure.code == "reached")
  }

  @Test("a result that no report carries fails for good")
  func largeResult() async throws {
    // Two quotes are part of the JSON.
    guard case .succeeded = await run(Sized(), #"{"size":\#(Report.resultLimit - 2)}"#) else {
      Issue.record("the largest result was refused")
      return
    }
    let failed = try #require(await failure(Sized(), #"{"size":\#(Report.resultLimit - 1)}"#))
    #expect(failed.failure.code == "result_too_large")
    #expect(failed.isPermanent)
  }

  @Test("a worker without departments, tellers or handlers, or with two handlers of a kind, says so and does not run")
  func misuse() async throws {
    let configuration = TellerConfiguration()
    await #expect(throws: WorkerError.noDepartments) { try await Worker(configuration, departments: [:]).run() }
    await #expect(throws: WorkerError.tellersOutOfRange("deposit", 0)) {
      try await Worker(configuration, departments: ["deposit": 0]).run()
    }
    await #expect(throws: WorkerError.tellersOutOfRange("deposit", 65_536)) {
      try await Worker(configuration, departments: ["deposit": 65_536]).run()
    }
    await #expect(throws: WorkerError.tooManyTellers(10_001)) {
      try await Worker(configuration, departments: ["deposit": 10_000, "loan": 1]).run()
    }
    let worker = Worker(configuration, departments: ["deposit": 1])
    await #expect(throws: WorkerError.noHandlers) { try await worker.run() }
    worker.register(Echo())
    worker.register(Echo())
    await #expect(throws: WorkerError.registeredTwice(["echo"])) { try await worker.run() }
    let odd = Worker(configuration, departments: ["deposit": 1])
    odd.register(Odd())
    await #expect(throws: WorkerError.policyOutOfRange("odd", "attempts: 0 is not 1–100")) { try await odd.run() }
  }
}
