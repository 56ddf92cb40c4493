import Teller

/// Fails as it is told: `{"times": 2}` fails the first two attempts and then succeeds, `{"permanent": true}` fails so
/// that trying again cannot help, `{}` fails each time.
struct Fail: JobHandler {
  static let kind: JobKind = "fail"

  struct Payload: Codable, Sendable {
    /// The attempts that fail; nil: all of them.
    var times: Int?
    /// Whether the failure is permanent.
    var permanent: Bool?
  }

  struct Output: Codable, Sendable {
    /// The attempt that succeeded.
    var attempt: Int
  }

  func run(context: JobContext<Payload>) async throws -> Output {
    let message = "attempt \(context.attempt) fails because the payload asks for it"
    if context.payload.permanent == true { throw PermanentFailure(code: "asked_to_fail", message: message) }
    if context.attempt <= context.payload.times ?? .max { throw JobFailure(code: "asked_to_fail", message: message) }
    return Output(attempt: context.attempt)
  }
}
