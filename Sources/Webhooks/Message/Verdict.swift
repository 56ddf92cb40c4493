import Decisions
import Foundation
import Teller

/// A receiver's answer, as far as it matters.
struct Answer: Hashable, Sendable {
  var status: Int
  /// The header of that name; nil: there is none.
  var retryAfter: String?
}

/// What an answer means for the job.
///
/// | status | the job | the department |
/// |---|---|---|
/// | 2xx | has succeeded | |
/// | 410 | is tried again | is paused |
/// | 3xx | is tried again; a redirect is never followed | |
/// | any other | is tried again | |
///
/// Each is tried again, a 400 and a 401, too: a receiver that is deployed wrongly, or does not know the new secret yet,
/// would lose all notifications otherwise. `Retry-After` counts with every status.
enum Verdict: Hashable, Sendable {
  case delivered
  case failed(RetryLater)

  init(_ answer: Answer, from webhook: Webhook, at now: Date) {
    let wait = answer.retryAfter.flatMap { RetryAfter.wait($0, at: now) } ?? .zero
    let receiver = "webhook \"\(webhook.name)\": \(webhook.address) answered \(answer.status)"
    let paused = "department \"\(WebhookSettings.departmentPrefix)\(webhook.name)\" is paused"
    switch answer.status {
    case 200...299: self = .delivered
    case 410:
      self = .failed(
        RetryLater(
          code: "webhook_gone",
          message:
            "\(receiver) (gone): \(paused), until somebody resumes it: correct the address, or take the webhook out",
          after: wait, pausesDepartment: true))
    case 300...399:
      self = .failed(
        RetryLater(
          code: "webhook_redirect",
          message: "\(receiver), a redirect, which is not followed: name the right address", after: wait))
    default:
      self = .failed(RetryLater(code: "webhook_answer", message: receiver, after: wait))
    }
  }
}
