import Teller

/// The steps before the bank opens, one after another. Their order is data: to add or to remove a step, add or remove one
/// line here.
enum Opening {
  /// By rank: the first step has rank 1.
  static let steps = [
    "network check",
    "location permission",
    "user information",
    "login",
    "app version",
    "active services",
    "optional update",
    "daily task",
    "full-screen banner",
  ]

  static let department: Department = "init"
  /// How long each step takes.
  static let stepTime: Duration = .milliseconds(100)

  /// The plan, with its steps in any order: their ranks say which goes first.
  static func plan(at pace: Pace, using generator: inout some RandomNumberGenerator) throws -> Plan {
    let steps = try steps.enumerated().map { index, name in
      let payload = InitStep.Payload(name: name, milliseconds: pace.milliseconds(stepTime))
      return try Plan.Step(name, InitStep.self, payload, rank: index + 1)
    }
    return Plan(department: department, steps: steps.shuffled(using: &generator))
  }
}
