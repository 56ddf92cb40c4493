import Teller

/// A reason why the day does not go on.
enum Obstacle: Hashable, Sendable {
  case noBroker
  case blockedBroker
  case noCoordinator
  case paused(Department)
  /// No worker serves the department.
  case unstaffed(Department)

  /// The obstacle behind an error of a question; nil: the error is no obstacle that may pass.
  init?(_ error: TellerError) {
    switch error {
    case .brokerUnavailable: self = .noBroker
    case .brokerBlocked: self = .blockedBroker
    case .noCoordinator, .noCoordinatorEver: self = .noCoordinator
    default: return nil
    }
  }

  /// Nil: the obstacle concerns every department.
  var department: Department? {
    switch self {
    case .noBroker, .blockedBroker, .noCoordinator: nil
    case .paused(let department), .unstaffed(let department): department
    }
  }

  /// The obstacle, and the remedy. These are two short lines: a narrow terminal would cut off the end of a long line.
  var advice: [String] {
    switch self {
    case .noBroker: ["the broker is not reached:", "see that it runs, and that its URL is right"]
    case .blockedBroker: ["the broker is blocked, because it is short of memory or disk:", "free some of it"]
    case .noCoordinator: ["no coordinator answers:", "start one with `teller coordinator`"]
    case .paused(let department):
      ["\(department) is paused, so its jobs wait:", "let them go on with `teller resume \(department)`"]
    case .unstaffed(let department):
      [
        "no worker serves \(department), so its jobs wait:",
        "start one with `bank worker --department \(department)=1`",
      ]
    }
  }

  /// The line that tells that there is no such obstacle any more.
  var passed: String {
    switch self {
    case .noBroker: "the broker is reached"
    case .blockedBroker: "the broker is no longer blocked"
    case .noCoordinator: "a coordinator answers"
    case .paused(let department): "\(department) is no longer paused"
    case .unstaffed(let department): "a worker serves \(department)"
    }
  }
}

extension [Obstacle] {
  /// The obstacles after an answer of the coordinator, for the departments that have jobs of the day.
  static func met(in departments: [DepartmentStatus], needed: Set<Department>) -> [Obstacle] {
    let found = Dictionary(departments.map { ($0.department, $0) }, uniquingKeysWith: { $1 })
    return needed.sorted().flatMap { name in
      (found[name]?.isPaused == true ? [.paused(name)] : [])
        + (found[name].map { $0.tellers > 0 } == true ? [] : [.unstaffed(name)])
    }
  }

  /// The obstacles when nobody has answered: nothing new is known of the departments.
  func joined(by obstacle: Obstacle) -> [Obstacle] { [obstacle] + filter { $0.department != nil } }
}
