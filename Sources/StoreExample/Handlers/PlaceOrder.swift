import Foundation
import Teller

/// Tells a team's chat of an order.
///
/// The number of the order is the key of the job: however often the button is pressed, one job posts it. A webhook of
/// `webhooks:` would say no more than that a job has succeeded: what was ordered is in the job's payload, and only its
/// handler reads that. Each attempt has the same `webhook-id`, by which a receiver takes it once when an answer was lost.
struct PlaceOrder: JobHandler {
  static let kind: JobKind = "order"
  static let policy = HandlerPolicy(attempts: 10, timeout: .seconds(30))
  /// How long the number of an order is taken.
  static let window: Duration = .seconds(7 * 86_400)

  struct Payload: Codable, Hashable, Sendable {
    var number: String
    var lines: [OrderLine]
  }
  struct Receipt: Codable, Hashable, Sendable { var number: String; var text: String }

  let shop: ShopClient
  /// Where the chat is; nil: the shop's own.
  let chat: URL?

  func run(context: JobContext<Payload>) async throws -> Receipt {
    let text = PlaceOrder.text(context.payload)
    try await shop.say(text, id: "\(context.id)", in: chat)
    return Receipt(number: context.payload.number, text: text)
  }

  /// One press of the button.
  static func submission(_ order: Payload) throws -> JobSubmission<Receipt> {
    var submission = try JobSubmission(PlaceOrder.self, order)
    (submission.key, submission.keyWindow) = (order.number, .lasting(window))
    return submission
  }

  /// One line for people.
  static func text(_ order: Payload) -> String {
    "Order \(order.number): " + order.lines.map { "\($0.count) × \($0.product)" }.joined(separator: ", ")
  }
}

/// `tea-1=2`: two of a product.
struct OrderLine: Codable, Hashable, Sendable {
  /// The most of one product in an order.
  static let most = 1_000
  var product: String
  var count: Int
}
