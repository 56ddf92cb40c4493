import Teller

/// The business of a customer; each has a department of the same name. To add one, add a case here, a handler, and a line
/// in teller.yaml.
enum Business: String, CaseIterable, Hashable, Sendable {
  case deposit, loan

  /// How long a teller is busy with one customer.
  var serviceTime: Duration {
    switch self {
    case .deposit: .milliseconds(700)
    case .loan: .milliseconds(1100)
    }
  }

  var department: Department {
    switch self {
    case .deposit: "deposit"
    case .loan: "loan"
    }
  }
}
