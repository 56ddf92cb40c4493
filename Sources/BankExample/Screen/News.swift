import Teller

/// News of the day, for people.
enum News: Hashable, Sendable {
  /// Customers come before the bank is open.
  case waitAtDoor([Customer])
  case opening
  case stepDone(String)
  /// The plan has gone back over the step.
  case stepDoneAgain(String)
  case wentBack(String, reason: String)
  case passedOver(String, reason: String)
  /// A push has come, and has its place among the steps, or was accepted.
  case pushTaken
  case pushAnnounced
  case pushDone
  case opened
  case isOpenAlready
  case met(Obstacle)
  /// The obstacle is no longer there.
  case passed(Obstacle)
  case entered([Customer])
  case started(Customer)
  case served(Customer)
  case failed(Customer, reason: String)

  var line: String {
    switch self {
    case .waitAtDoor(let customers): "\(customers.count) customers come before the opening, and wait at the door"
    case .opening: "the bank opens: the plan \"\(Opening.plan)\" is started"
    case .stepDone(let step): "init: \(step) is done"
    case .stepDoneAgain(let step): "init: \(step) is done again"
    case .wentBack(let step, let reason): "init: \(step) reports \(reason), so the opening goes back"
    case .passedOver(let step, let reason): "init: \(step) failed, and is passed over (\(reason))"
    case .pushTaken: "push: it has its place among the jobs of init"
    case .pushAnnounced: "push: the bank is open, so it is announced, and waits until somebody accepts it"
    case .pushDone: "push: it is acted on"
    case .opened: "the bank is open"
    case .isOpenAlready:
      "the bank is open since an earlier day: an operator closes it with `\(Opening.stop)`"
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
