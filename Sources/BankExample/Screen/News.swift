import Teller

/// News of the day, for people.
enum News: Hashable, Sendable {
  /// The steps of the opening were submitted, in this order.
  case opening(steps: [String])
  case stepDone(String)
  case opened
  case met(Obstacle)
  /// The obstacle is no longer there.
  case passed(Obstacle)
  case entered([Customer])
  case started(Customer)
  case served(Customer)
  case failed(Customer, reason: String)

  var line: String {
    switch self {
    case .opening(let steps): "the bank opens; its steps were submitted in this order: \(steps.joined(separator: ", "))"
    case .stepDone(let step): "init: \(step) is done"
    case .opened: "the bank is open"
    case .met(let obstacle): obstacle.advice.joined(separator: " ")
    case .passed(let obstacle): obstacle.passed
    case .entered(let customers): "\(customers.count) customers come in: \(News.counts(of: customers))"
    case .started(let customer): "\(customer.business): customer \(customer.number) is being served"
    case .served(let customer): "\(customer.business): customer \(customer.number) is served"
    case .failed(let customer, let reason): "\(customer.business): customer \(customer.number) failed: \(reason)"
    }
  }

  var isAboutObstacle: Bool {
    switch self {
    case .met, .passed: true
    default: false
    }
  }

  private static func counts(of customers: [Customer]) -> String {
    let counts = Business.allCases.map { business in (business, customers.count { $0.business == business }) }
    return counts.map { "\($1) for \($0)" }.joined(separator: ", ")
  }
}
