import Teller

struct Interest: JobHandler {
  static let kind: JobKind = "interest"
  struct Payload: Codable, Sendable { var balances: [Int] }

  func run(context: JobContext<Payload>) async throws -> [Int] {
    var interest: [Int] = []
    for balance in context.payload.balances {
      try Task.checkCancellation()
      interest.append(balance / 100)
    }
    return interest
  }
}
