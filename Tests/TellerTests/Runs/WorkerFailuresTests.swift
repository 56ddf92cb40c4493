import Foundation
import JobModel
import JobTransport
import Logging
import Synchronization
import Testing
import TestSupport

@testable import Teller

/// Throws what it was made with.
private struct Failing: JobHandler {
  static let kind: JobKind = "failing"
  static let policy = HandlerPolicy(
    attempts: 5, retry: RetrySettings(first: .seconds(40), factor: 1, longest: .seconds(40), jitter: 0),
    timeout: .seconds(3_600))
  let error: any Error
  func run(context: JobContext<NoResult>) async throws -> NoResult { throw error }
}

/// Waits until its time limit has passed, and throws another error then.
struct Late: JobHandler {
  static let kind: JobKind = "late"
  struct Closing: Error, CustomStringConvertible { let description = "the file could not be closed" }
  func run(context: JobContext<NoResult>) async throws -> NoResult {
    try? await Task.sleep(for: .seconds(3_600))
    throw Closing()
  }
}

/// Gives back what it knows of its job.
private struct Telling: JobHandler {
  static let kind: JobKind = "telling"
  struct Output: Codable, Sendable, Hashable {
    var maxAttempts: Int
    var contentType: String?
    var headers: [String: String]
    var isCurrent: Bool
    var isInChild: Bool
    var metadata: [String: String]
    var isTimed: Bool
  }
  static let policy = HandlerPolicy(attempts: 7, timeout: .seconds(60))
  func run(context: JobContext<NoResult>) async throws -> Output {
    async let child = JobInfo.current
    return Output(
      maxAttempts: context.maxAttempts, contentType: context.contentType, headers: context.headers,
      isCurrent: JobInfo.current == context.job, isInChild: await child == context.job,
      metadata: context.job.metadata.mapValues { "\($0)" }, isTimed: context.deadline != nil)
  }
}

/// Notes when it is entered and left.
private struct Noting: JobMiddleware {
  let name: String
  let notes: Notes
  func run(_ job: JobInfo, next: @Sendable () async throws -> JobOutput) async throws -> JobOutput {
    notes.add("\(name) in \(JobInfo.current == job)")
    defer { notes.add("\(name) out") }
    return try await next()
  }
}

private final class Notes: Sendable {
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock(\.self) }
  func add(_ line: String) { lines.withLock { $0.append(line) } }
}

@Suite("A worker says what happens", .timeLimit(.minutes(10)))
struct WorkerFailuresTests {
  @Test("a failed attempt is logged with its job, told to the hook, and reported with the handler's policy")
  func failure() async throws {
    let (log, notes) = (WorkerLog(), Notes())
    let register: (Worker) -> Void = { worker in
      worker.register(Failing(error: JobFailure(code: "no_money", message: "the account is empty")))
      worker.onFailure { failed in
        notes.add("\(failed.job.id) \(failed.job.attempt) \(failed.error) \(failed.again.map { "\($0)" } ?? "never")")
      }
    }
    try await withServingWorker(log: log, register: register) { _, peer, _ in
      var assignment = peer.assignment("failing", payload: "")
      assignment.maxAttempts = nil
      try await peer.release(assignment)
      let report = try await peer.nextReport()
      #expect(report.hint == RetryHint(attempts: 5, wait: .seconds(40)))
      let line = try #require(log.entries.first { $0.level == .warning })
      #expect(
        line.message
          == "attempt 1 of 5 failed in deposit, again in about 40 s: no_money: the account is empty")
      #expect(line.metadata["job"] == assignment.job.description)
      #expect(line.metadata["kind"] == "failing")
      #expect(line.metadata["attempt"] == "1")
      #expect(notes.all == ["\(assignment.job) 1 no_money: the account is empty 40.0 seconds"])
      // The submission's own number of attempts goes before the handler's.
      try await peer.release(peer.assignment("failing", payload: "", attempts: 2))
      _ = try await peer.nextReport()
      #expect(log.messages.contains { $0.hasPrefix("attempt 1 of 2 failed") })
    }
  }

  @Test("a handler says how long its job waits at least, and that its department is to be paused")
  func retryLater() async throws {
    let log = WorkerLog()
    let error = RetryLater(code: "gone", message: "nobody is there", after: .seconds(50), pausesDepartment: true)
    try await withServingWorker(log: log, register: { $0.register(Failing(error: error)) }) { _, peer, _ in
      try await peer.release(peer.assignment("failing", payload: "", attempts: 2))
      let report = try await peer.nextReport()
      #expect(report.result == .failed(JobFailure(code: "gone", message: "nobody is there"), isPermanent: false))
      let hint = RetryHint(attempts: 5, wait: .seconds(40), atLeast: .seconds(50), pausesDepartment: true)
      #expect(report.hint == hint)
      #expect(log.messages.contains { $0.contains("again in about 50 s: gone: nobody is there") }, "\(log.messages)")
    }
  }

  @Test("the time of a RetryLater is within its limits")
  func retryLaterLimits() {
    #expect(RetryLater(code: "c", message: "m", after: .seconds(-1)).time == .zero)
    #expect(RetryLater(code: "c", message: "m", after: .seconds(1 << 40)).time == RetryLater.longest)
  }

  @Test("a handler of bytes has a policy for each department")
  func policies() async throws {
    let register: (Worker) -> Void = { worker in
      let policies: [Department: HandlerPolicy] = ["deposit": HandlerPolicy(attempts: 7), "other": HandlerPolicy()]
      worker.register("raw", policies: policies) { _, payload, _ in
        throw JobFailure(code: "read", message: String(decoding: payload, as: UTF8.self))
      }
    }
    try await withServingWorker(register: register) { _, peer, _ in
      var assignment = peer.assignment("raw", payload: "not JSON")
      assignment.maxAttempts = nil
      try await peer.release(assignment)
      let report = try await peer.nextReport()
      #expect(report.result == .failed(JobFailure(code: "read", message: "not JSON"), isPermanent: false))
      #expect(report.hint?.attempts == 7)
    }
  }

  @Test("the file's wait between attempts goes before the handler's, in the log and in the hook")
  func fileFirst() async throws {
    let log = WorkerLog()
    let register: (Worker) -> Void = { $0.register(Failing(error: JobFailure(code: "no_money", message: "empty"))) }
    try await withWorker(log: log, register: register) { running, peer, _ in
      peer.want(retries: ["failing": RetrySettings(first: .seconds(7), factor: 1, longest: .seconds(7), jitter: 0)])
      try await running.ready(with: peer)
      try await peer.release(peer.assignment("failing", payload: ""))
      _ = try await peer.nextReport()
      #expect(log.messages.contains { $0.contains("again in about 7 s") }, "\(log.messages)")
    }
  }

  @Test("the last attempt of a job is an error, and so is a permanent failure")
  func last() async throws {
    let log = WorkerLog()
    let register: (Worker) -> Void = { $0.register(Failing(error: PermanentFailure(code: "gone", message: "no such"))) }
    try await withServingWorker(log: log, register: register) { _, peer, _ in
      try await peer.release(peer.assignment("failing", payload: ""))
      _ = try await peer.nextReport()
      let line = try #require(log.entries.first { $0.level == .error })
      #expect(line.message == "attempt 1 of 3 failed in deposit, and so has the job: gone: no such")
    }
  }

  @Test("the error that a handler throws after its time limit is logged, and told to the hook")
  func late() async throws {
    let (log, notes) = (WorkerLog(), Notes())
    let register: (Worker) -> Void = { worker in
      worker.register(Late())
      // The attempt's task is cancelled by now, and that of the hook is not.
      worker.onFailure { notes.add("\($0.failure.code): \($0.error) \(Task.isCancelled)") }
    }
    try await withServingWorker(log: log, register: register) { _, peer, _ in
      try await peer.release(peer.assignment("late", payload: "", timeout: .seconds(3)))
      #expect(try await peer.nextReport().result == .failed(.timeout(.seconds(3)), isPermanent: false))
      let line = try #require(log.entries.first { $0.level == .warning })
      #expect(line.message.hasSuffix("; then it threw: the file could not be closed"), "\(line.message)")
      #expect(notes.all == ["timeout: the file could not be closed false"])
    }
  }

  @Test("a hook that does not return is cancelled, and the attempt is reported all the same")
  func hangingHook() async throws {
    let log = WorkerLog()
    let register: (Worker) -> Void = { worker in
      worker.register(Failing(error: JobFailure(code: "no_money", message: "empty")))
      worker.onFailure { _ in try? await Task.sleep(for: .seconds(86_400)) }
    }
    let timeouts = WorkerTimeouts(failureHooks: .milliseconds(50))
    try await withServingWorker(timeouts: timeouts, log: log, register: register) { _, peer, _ in
      try await peer.release(peer.assignment("failing", payload: ""))
      let failure = JobFailure(code: "no_money", message: "empty")
      #expect(try await peer.nextReport().result == .failed(failure, isPermanent: false))
      #expect(log.messages.contains { $0.hasPrefix("a hook for failures has not returned within 50 ms") })
    }
  }

  @Test("a snoozed and a discarded job are reported as such, and no hook is told")
  func earlyEnds() async throws {
    for (error, expected): (any Error, AttemptResult) in [
      (JobSnooze(for: .seconds(90)), .snoozed(.seconds(90))),
      (JobDiscard("left"), .discarded(JobFailure(code: "discarded", message: "left"))),
    ] {
      let notes = Notes()
      let register: (Worker) -> Void = { worker in
        worker.register(Failing(error: error))
        worker.onFailure { notes.add("\($0.failure)") }
      }
      try await withServingWorker(register: register) { _, peer, _ in
        try await peer.release(peer.assignment("failing", payload: ""))
        #expect(try await peer.nextReport().result == expected)
        #expect(notes.all.isEmpty)
      }
    }
  }

  @Test("middlewares run around the handler in their order, and what one throws is the attempt's failure")
  func middlewares() async throws {
    struct Refusing: JobMiddleware {
      func run(_ job: JobInfo, next: @Sendable () async throws -> JobOutput) async throws -> JobOutput {
        if job.attempt == 1 { throw JobFailure(code: "closed", message: "not today") }
        return try await next()
      }
    }
    let notes = Notes()
    let register: (Worker) -> Void = { worker in
      worker.use(Noting(name: "outer", notes: notes))
      worker.use(Refusing())
      worker.use(Noting(name: "inner", notes: notes))
    }
    try await withServingWorker(stage: WorkerStage(isOpen: true), register: register) { _, peer, _ in
      var assignment = peer.assignment()
      try await peer.release(assignment)
      let refused = JobFailure(code: "closed", message: "not today")
      #expect(try await peer.nextReport().result == .failed(refused, isPermanent: false))
      #expect(notes.all == ["outer in true", "outer out"])
      assignment = peer.assignment(number: 2)
      assignment.attempt = 2
      try await peer.release(assignment)
      guard case .succeeded = try await peer.nextReport().result else { throw Unreadable("it did not succeed") }
      #expect(
        notes.all.dropFirst(2) == ["outer in true", "inner in true", "inner out", "outer out"])
    }
  }

  @Test("a handler finds its job's content type, headers and trace, in its context, its task and its log")
  func told() async throws {
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    try await withServingWorker(register: { $0.register(Telling()) }) { _, peer, _ in
      var assignment = peer.assignment("telling", payload: "")
      assignment.maxAttempts = nil
      assignment.content.headers = ["tenant": "north"]
      assignment.content.trace = TraceContext(traceparent: trace, tracestate: nil)
      try await peer.release(assignment)
      guard case .succeeded(let bytes, _) = try await peer.nextReport().result else { throw Unreadable("it failed") }
      let told = try JSONDecoder().decode(Telling.Output.self, from: Data(bytes))
      let expected = Telling.Output(
        maxAttempts: 7, contentType: "application/json", headers: ["tenant": "north", "traceparent": trace],
        isCurrent: true, isInChild: true,
        metadata: [
          "job": assignment.job.description, "kind": "telling", "attempt": "1",
          "trace": "0af7651916cd43dd8448eb211c80319c",
        ], isTimed: true)
      #expect(told == expected)
    }
  }

  @Test("a job whose handler says that it runs at most once is claimed, with that")
  func atMostOnce() async throws {
    struct Once: JobHandler {
      static let kind: JobKind = "once"
      static let policy = HandlerPolicy(attempts: 1)
      func run(context: JobContext<NoResult>) async throws -> Int { context.maxAttempts }
    }
    try await withServingWorker(register: { $0.register(Once()) }) { _, peer, _ in
      var assignment = peer.assignment("once", payload: "")
      assignment.maxAttempts = nil
      try await peer.release(assignment)
      let claim = try await peer.nextClaim()
      #expect(claim.attempts == 1)
      try await peer.answer(claim, .run(token: 2, attempt: 1))
      #expect(
        try await peer.nextReport().result
          == .succeeded(result: Array("1".utf8), contentType: "application/json"))
    }
  }

  @Test("handlers that block every thread of a department delay no other department")
  func departments() async throws {
    let latch = WorkerLatch()
    let crowd = HandlerThreads.most + 1
    try await withServingWorker(
      ["slow": crowd, "deposit": 1], stage: WorkerStage(isOpen: true),
      register: { $0.register(Stubborn(latch: latch)) }
    ) { _, peer, _ in
      for _ in 0..<crowd { try await peer.release(peer.assignment("stubborn", payload: "{}", department: "slow")) }
      try await eventually("the slow handlers have all their threads", within: patience) {
        latch.count == HandlerThreads.most
      }
      let quick = peer.assignment()
      try await peer.release(quick)
      #expect(try await peer.nextReport().release == quick.release)
      latch.open()
    }
  }
}
