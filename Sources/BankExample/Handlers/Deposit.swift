import Teller

/// Pays money in.
struct Deposit: JobHandler {
  static let kind: JobKind = "deposit"

  func run(context: JobContext<Visit>) async throws -> Receipt {
    try await context.payload.takeTime()
    return Receipt(customer: context.payload.customer, attempt: context.attempt)
  }
}
