import Foundation
import JobModel
public import Logging
public import Teller

/// Tests of handlers, and of programs that submit jobs.
///
///     let receipt = try await TellerTesting.run(Deposit(), Deposit.Payload(account: "A-1", cents: 500))
///
///     try await TellerTesting.withSystem(serving: ["counter": [Deposit()]]) { system in
///       try await openAccount(with: system.client)
///       let deposit = try await system.submission(of: Deposit.self) { $0.cents == 500 }
///       #expect(try await system.outcome(of: deposit.id).state == .succeeded)
///     }
public enum TellerTesting {
  /// Runs a handler once, here, without a broker. The payload and the output go through JSON, as on their way to and from a
  /// worker.
  ///
  /// - Parameters:
  ///   - handler: The handler.
  ///   - payload: The job's payload.
  ///   - job: The attempt, for a handler that looks at its number, headers or deadline; nil: the first attempt of one.
  ///   - logger: The logger of the handler's context.
  ///   - onProgress: Called at each `progress` of the handler's context.
  /// - Returns: The handler's output, as the submitter would read it.
  /// - Throws: What the handler throws; `EncodingError` for a payload that cannot be written; `JobFailure` with the code
  ///   `bad_payload` when the written payload cannot be read; `PermanentFailure` when the output cannot be written;
  ///   `DecodingError` when the written output cannot be read.
  public static func run<Handler: JobHandler>(
    _ handler: Handler, _ payload: Handler.Payload, as job: JobInfo? = nil,
    logger: Logger = Logger(label: "teller.test"), onProgress: (@Sendable (RunProgress) -> Void)? = nil
  ) async throws -> Handler.Output {
    let job = job ?? JobInfo(kind: Handler.kind, department: TellerTesting.department)
    let output = try await handler.runOnce(
      job, payload: [UInt8](try JSONEncoder().encode(payload)), onProgress: onProgress, logger: logger)
    return try JSONText.decode(Handler.Output.self, from: output.bytes)
  }

  /// The department of a job that ``run(_:_:as:logger:)`` runs.
  private static let department: Department = "test"
}
