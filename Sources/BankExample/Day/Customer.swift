import Teller

/// A customer of the bank. The id is chosen here and not by the bank: a submission that is sent twice stays one job.
struct Customer: Hashable, Sendable {
  let id: JobID
  /// From 1, in the order they come in.
  let number: Int
  let business: Business

  /// Customers with random business; the same seed makes the same customers.
  static func enter(_ count: Int, using generator: inout some RandomNumberGenerator) -> [Customer] {
    (0..<count).map { index in
      Customer(id: JobID(), number: index + 1, business: Bool.random(using: &generator) ? .deposit : .loan)
    }
  }

  /// The customer's job.
  ///
  /// - Throws: `EncodingError`.
  func submission(at pace: Pace) throws -> JobSubmission<Receipt> {
    let visit = Visit(customer: number, milliseconds: pace.milliseconds(business.serviceTime))
    return switch business {
    case .deposit: try JobSubmission(Deposit.self, visit, id: id)
    case .loan: try JobSubmission(Loan.self, visit, id: id)
    }
  }
}
