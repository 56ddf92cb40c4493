import Foundation
public import JobModel
public import Teller

/// A whole system on a real broker, in this process: see `TellerTesting.withSystem`.
public final class TestSystem: Sendable {
  /// A client of the system, for the program under test.
  public let client: TellerClient
  /// The worker that runs the handlers; nil: there are none. A test may drain it: the coordinator answers on until the
  /// test's body has returned.
  public let worker: Worker?
  private let log: JobLog

  /// How long a wait of a test may take, unless the test says otherwise: two minutes. Only ever spent on failure, also on a
  /// machine that runs many tests at once.
  public static let patience: Duration = .seconds(120)

  init(client: TellerClient, worker: Worker?, log: JobLog) {
    self.client = client
    self.worker = worker
    self.log = log
  }

  /// The jobs of a handler that were accepted so far, in the order of their acceptance, each with its payload.
  ///
  /// - Throws: `DecodingError` for a payload that the handler could not read; `TellerError`; `CancellationError`.
  public func submissions<Handler: JobHandler>(of handler: Handler.Type) async throws -> [TestSubmission<
    Handler.Payload
  >] {
    var submissions: [TestSubmission<Handler.Payload>] = []
    for job in log.jobs where job.kind == Handler.kind {
      submissions.append(try await submission(job))
    }
    return submissions
  }

  /// Waits until a job of a handler is accepted, and its payload is the right one.
  ///
  /// - Parameters:
  ///   - handler: The handler's type.
  ///   - patience: How long to wait.
  ///   - isRight: Whether the payload is the right one; any payload unless it is given.
  /// - Returns: The first such job.
  /// - Throws: ``TestSystemError/notSubmitted(_:seen:)`` with the payloads that came instead; `DecodingError`; `TellerError`;
  ///   `CancellationError`.
  public func submission<Handler: JobHandler>(
    of handler: Handler.Type, within patience: Duration = TestSystem.patience,
    where isRight: (Handler.Payload) -> Bool = { _ in true }
  ) async throws -> TestSubmission<Handler.Payload> {
    let deadline = ContinuousClock.now + patience
    var (looked, seen) = (0, [String]())
    while true {
      let jobs = log.jobs
      for job in jobs.dropFirst(looked) where job.kind == Handler.kind {
        let submission: TestSubmission<Handler.Payload> = try await submission(job)
        if isRight(submission.payload) { return submission }
        if seen.count < TestSystemError.mostSeen { seen.append("\(submission.payload)") }
      }
      looked = jobs.count
      guard try await log.changes(beyond: looked, until: deadline) else {
        throw TestSystemError.notSubmitted(Handler.kind, seen: seen)
      }
    }
  }

  /// Waits until a job has ended.
  ///
  /// - Parameters:
  ///   - id: The job's id.
  ///   - patience: How long to wait.
  /// - Returns: The outcome.
  /// - Throws: `TellerError`, such as `timedOut`; `CancellationError`.
  @discardableResult
  public func outcome(of id: JobID, within patience: Duration = TestSystem.patience) async throws -> Outcome {
    try await client.handle(of: id).outcome(timeout: patience)
  }

  /// Waits until every job that was accepted has ended, also the jobs that were submitted meanwhile.
  ///
  /// - Parameter patience: How long to wait.
  /// - Throws: ``TestSystemError/stillOpen(_:)``; `CancellationError`.
  public func allEnded(within patience: Duration = TestSystem.patience) async throws {
    guard try await log.allEnded(until: .now + patience) else { throw TestSystemError.stillOpen(log.open) }
  }

  private func submission<Payload: Decodable>(_ job: JobLog.Entry) async throws -> TestSubmission<Payload> {
    let content = try await client.payload(of: job.id)
    let bytes = content.payload.isEmpty ? Data("{}".utf8) : Data(content.payload)
    return TestSubmission(
      id: job.id, kind: job.kind, department: job.department,
      payload: try JSONText.decode(Payload.self, from: bytes))
  }
}

/// A job that was submitted to a ``TestSystem``.
public struct TestSubmission<Payload: Sendable>: Sendable {
  /// The job's id.
  public let id: JobID
  /// The job's kind.
  public let kind: JobKind
  /// The department that serves the job.
  public let department: Department
  /// The payload, as the handler reads it.
  public let payload: Payload
}

extension TestSubmission: Equatable where Payload: Equatable {}
extension TestSubmission: Hashable where Payload: Hashable {}

/// Why a test of a ``TestSystem`` fails, or cannot begin.
public enum TestSystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No broker is named. Set `TELLER_TEST_BROKER_URL`, or give the URL.
  case noBroker
  /// A coordinator serves that virtual host. The tests would empty its queues: give them a virtual host of their own.
  case brokerInUse(String)
  /// Another process tests on that virtual host, and did not end in time.
  case stillTested(String)
  /// No job of that kind was submitted in time with the right payload. The payloads that came instead follow, at most
  /// ``mostSeen``.
  case notSubmitted(JobKind, seen: [String])
  /// These jobs have not ended in time.
  case stillOpen([JobID])

  /// The most payloads that ``notSubmitted(_:seen:)`` has.
  public static let mostSeen = 20
  /// The most ids that the text has.
  private static let mostShown = 5

  /// One line: what happened, and what to do about it.
  public var description: String {
    switch self {
    case .noBroker:
      "no broker is named for the tests: set \(TestBroker.variable) to an address whose virtual host is for tests alone, "
        + "such as amqp://guest:guest@127.0.0.1:5672/test"
    case .brokerInUse(let broker):
      "a coordinator serves \(broker): the tests would empty its queues; give them a virtual host of their own"
    case .stillTested(let broker): "another process tests on \(broker), and does not end; wait for it, or end it"
    case .notSubmitted(let kind, let seen):
      "no job of kind \(kind) with the right payload was submitted; "
        + (seen.isEmpty ? "no job of that kind was" : "submitted were: \(seen.joined(separator: "; "))")
    case .stillOpen(let jobs):
      "\(jobs.count) jobs have not ended, such as \(jobs.prefix(Self.mostShown).map(\.description).joined(separator: ", "))"
    }
  }
}
