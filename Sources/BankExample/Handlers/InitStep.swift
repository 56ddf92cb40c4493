import Logging
import Teller

/// How long a step of the opening takes.
struct StepTime: Codable, Sendable {
  /// Nil: the plan was started without a payload, such as by `teller plan start opening`.
  var milliseconds: Int?

  /// The work; a real bank would do something here.
  func take() async throws {
    try await Task.sleep(for: milliseconds.map { .milliseconds($0) } ?? Opening.stepTime)
  }
}

/// One step of opening the bank. The steps and their order are data: see `teller.yaml`.
struct InitStep: JobHandler {
  static let kind: JobKind = "init-step"

  func run(context: JobContext<StepTime>) async throws -> NoResult {
    context.logger.debug("\(context.job.step?.name ?? "")")
    try await context.payload.take()
    return NoResult()
  }
}

/// Logs in with what the step *user information* has loaded. The session of the day before has expired: so the plan goes
/// back to that step, and the second login succeeds.
struct Login: JobHandler {
  static let kind: JobKind = "login"

  func run(context: JobContext<StepTime>) async throws -> NoResult {
    try await context.payload.take()
    if context.step?.round == 1 {
      // The code on which the plan in `teller.yaml` goes back.
      throw PermanentFailure(code: "session_expired", message: "the session is of yesterday")
    }
    return NoResult()
  }
}

/// Shows a picture over the whole screen. There is none today: the step fails, and the bank opens without it.
struct Banner: JobHandler {
  static let kind: JobKind = "banner"

  func run(context: JobContext<StepTime>) async throws -> NoResult {
    try await context.payload.take()
    throw PermanentFailure(code: "no_picture", message: "there is no picture for today")
  }
}

/// A push: during the opening it is a step, later it is announced, and acted on when somebody accepts it.
struct Push: JobHandler {
  static let kind: JobKind = "push"

  struct Payload: Codable, Sendable {
    var page: String
  }

  func run(context: JobContext<Payload>) async throws -> NoResult {
    context.logger.debug("a push opens \(context.payload.page)")
    return NoResult()
  }
}
