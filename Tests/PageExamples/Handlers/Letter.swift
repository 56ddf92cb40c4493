import Teller

/// A service that sends mail.
protocol MailService: Sendable {
  var isOpen: Bool { get async }
  /// For how long it takes no mail; nil: it takes mail.
  var refusesFor: Duration? { get async }
  func address(of customer: Int) async throws -> String?
  func send(_ text: String, to address: String) async throws
}

struct Letter: JobHandler {
  static let kind: JobKind = "letter"
  struct Payload: Codable, Sendable {
    var customer: Int
    var text: String
  }

  let mail: any MailService

  func run(context: JobContext<Payload>) async throws -> NoResult {
    let letter = context.payload
    if letter.text.isEmpty {
      throw PermanentFailure(code: "empty_letter", message: "a letter needs a text")
    }
    guard await mail.isOpen else { try context.snooze(for: .seconds(600)) }
    if let wait = await mail.refusesFor {
      throw RetryLater(code: "refused", message: "the mail server takes nothing now", after: wait)
    }
    guard let address = try await mail.address(of: letter.customer) else {
      try context.discard("the customer has left")
    }
    try await mail.send(letter.text, to: address)
    return NoResult()
  }
}
