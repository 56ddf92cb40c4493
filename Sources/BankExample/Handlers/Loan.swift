import Teller

/// Agrees on a loan.
struct Loan: JobHandler {
  static let kind: JobKind = "loan"

  func run(context: JobContext<Visit>) async throws -> Receipt {
    try await context.payload.takeTime()
    return Receipt(customer: context.payload.customer, attempt: context.attempt)
  }
}
