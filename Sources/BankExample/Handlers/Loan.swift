import Teller

/// Agrees on a loan.
struct Loan: JobHandler {
  static let kind: JobKind = "loan"
  /// The parts of the talk, each as long as the others.
  private static let steps = ["looks at the papers", "thinks about it", "signs"]

  func run(context: JobContext<Visit>) async throws -> Receipt {
    for (step, name) in Loan.steps.enumerated() {
      context.progress(Double(step) / Double(Loan.steps.count), name)
      try await context.payload.takeTime(of: Loan.steps.count)
    }
    return Receipt(customer: context.payload.customer, attempt: context.attempt)
  }
}
