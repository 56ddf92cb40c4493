import Decisions
import Foundation
import JobModel
import Logging
import Teller

/// Runs the jobs of webhooks: one delivery, one attempt.
struct WebhookHandler: Sendable {
  private let deliveries: [Department: Delivery]

  init(_ webhooks: [Webhook], resolver: Resolver) {
    var deliveries: [Department: Delivery] = [:]
    for webhook in webhooks {
      guard let department = WebhookSettings.department(of: webhook.name) else { continue }
      deliveries[department] = Delivery(webhook, resolver: resolver)
    }
    self.deliveries = deliveries
  }

  /// How many tellers each department has.
  var tellers: [Department: Int] { deliveries.mapValues(\.webhook.settings.limits.concurrency) }

  /// How the jobs of each department are tried. The time limit of an attempt is for what should not happen: the delivery
  /// has its own.
  var policies: [Department: HandlerPolicy] {
    deliveries.mapValues { delivery in
      let settings = delivery.webhook.settings
      return HandlerPolicy(
        attempts: settings.attempts, retry: settings.retry, timeout: settings.limits.time + WebhookHandler.spare)
    }
  }

  /// How much longer an attempt may run than its delivery.
  private static let spare: Duration = .seconds(30)

  /// Ends all connections.
  func close() async {
    for delivery in deliveries.values { await delivery.close() }
  }

  private struct Delivered: Encodable { let status: Int }

  /// Delivers the notification of a job.
  ///
  /// - Throws: `RetryLater` when it was not delivered; `PermanentFailure` when the payload is no notification.
  func run(_ job: JobInfo, _ payload: [UInt8], _ logger: Logger) async throws -> JobOutput {
    guard let delivery = deliveries[job.department] else {
      throw JobFailure(code: "webhook_unknown", message: "no webhook here has the department \"\(job.department)\"")
    }
    let message = try WebhookMessage(payload, for: delivery.webhook, seconds: Int64(Date().timeIntervalSince1970))
    let answer: Answer
    do {
      answer = try await delivery.send(message, attempt: job.attempt)
    } catch let problem as DeliveryProblem {
      throw problem.failure(of: delivery.webhook)
    }
    switch Verdict(answer, from: delivery.webhook, at: Date()) {
    case .delivered: return JobOutput(bytes: [UInt8](try JSONEncoder().encode(Delivered(status: answer.status))))
    case .failed(let failure):
      if failure.pausesDepartment { logger.error("\(failure.message)") }
      throw failure
    }
  }
}
