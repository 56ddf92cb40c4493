import Teller

/// The business of a customer, with a department of that name. To add one: a case here, a handler, a line in
/// teller.yaml.
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
