import Teller

/// Fails as it is told: `{"times": 2}` fails the first two attempts and then succeeds, `{"permanent": true}` fails so
/// that trying again cannot help, `{}` fails each time. `{"code": "torn", "message": "the page is torn"}` says why.
struct Fail: JobHandler {
  static let kind: JobKind = "fail"

  struct Payload: Codable, Sendable {
    /// The attempts that fail; nil: all of them.
    var times: Int?
    /// Whether the failure is permanent.
    var permanent: Bool?
    /// The failure's code; nil: `asked_to_fail`.
    var code: String?
    /// The failure's message.
    var message: String?
  }

  struct Output: Codable, Sendable {
    /// The attempt that succeeded.
    var attempt: Int
  }

  func run(context: JobContext<Payload>) async throws -> Output {
    let payload = context.payload
    let code = payload.code ?? "asked_to_fail"
    let message = payload.message ?? "attempt \(context.attempt) fails because the payload asks for it"
    if payload.permanent == true { throw PermanentFailure(code: code, message: message) }
    if context.attempt <= payload.times ?? .max { throw JobFailure(code: code, message: message) }
    return Output(attempt: context.attempt)
  }
}
