import Teller

/// What customers come for; each has a department of its name. Another one is another case here, another handler, and
/// another line in teller.yaml.
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
