import JobModel
import JobTransport
import Teller

/// The wait for one job's outcome. The coordinator may be replaced meanwhile: a question that it took along is asked
/// again.
struct OutcomeWait: Sendable {
  /// How long one question stays open. A lost one costs this much, and the limit for its answer.
  static let turn: Duration = .seconds(5)

  /// The limits for the client that asks.
  static var limits: ClientLimits {
    var limits = ClientLimits.forPeople
    limits.request = .seconds(5)
    return limits
  }

  let job: JobID
  /// Nil: as long as a coordinator answers.
  let deadline: ContinuousClock.Instant?
  let client: TellerClient

  /// The job, once it has ended.
  ///
  /// - Throws: `Failure` with `timedOut`; `TellerError` when the job is not known, or nobody has answered for
  ///   `ClientLimits.coordinator`.
  func run() async throws -> JobDocument {
    var lastAnswer = ContinuousClock.now
    while true {
      let left = deadline.map { ContinuousClock.now.duration(to: $0) } ?? OutcomeWait.turn
      if left <= .zero {
        throw Failure(.timedOut, "the time limit has passed, and job \(job) has not ended; it still may")
      }
      do {
        let answer = try await client.wait(for: [job], limit: min(left, OutcomeWait.turn))
        if let document = answer.finished.first { return document }
        if !answer.unknown.isEmpty { throw TellerError.unknownJob(job) }
        lastAnswer = .now
      } catch TellerError.noCoordinator where lastAnswer.duration(to: .now) < OutcomeWait.limits.coordinator {
        continue
      }
    }
  }
}
