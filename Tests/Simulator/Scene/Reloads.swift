import Decisions
import JobModel

// Another configuration.
extension World {
  /// How many of a hundred reloads change more than windows.
  private static let changes = 75

  /// The coordinators go on with other windows, and mostly with another part of the rest.
  func reload() throws {
    guard let coordinator = someCoordinator else { return }
    var wanted = coordinator.configuration
    wanted.departments = departments(instead: wanted.departments)
    wanted.lease = .seconds(number(5...7))
    if chance(30) { wanted.schedules = [] }
    if chance(World.changes) {
      for _ in 1...number(1...2) { ReloadPart.some(self).change(&wanted, self) }
    }
    guard chance(30) else { return try reload(wanted) }
    try reload(refused(wanted), except: ConfigurationObstacles(leftOut: ["refused"]))
  }

  /// The same departments with other windows, and sometimes one less.
  private func departments(instead present: [Department: DepartmentSettings]) -> [Department: DepartmentSettings] {
    var wanted = present
    wanted[Departments.work] = .init(window: number(2...12))
    if chance(5) { wanted[Departments.work] = .init(cap: number(2...6)) }
    wanted[Departments.capped] = .init(cap: number(1...3))
    if chance(40) { wanted[Departments.capped] = nil }
    wanted[Departments.ahead] = .init(window: number(3...12), ahead: number(0...3))
    // An ordered department stays one.
    if chance(20) { wanted[Departments.ordered] = .init(isOrdered: false) }
    return wanted
  }

  /// The broker refuses the queue of a department that a plan is to have behind a gate, and that jobs are to go to.
  private func refused(_ wanted: CoordinatorConfiguration) -> CoordinatorConfiguration {
    var wanted = wanted
    wanted.departments["refused"] = DepartmentSettings()
    wanted.plans[Opening.name]?.definition.gates.append("refused")
    if chance(50) { wanted.kinds["alert"]?.department = "refused" }
    for index in wanted.schedules.indices where chance(50) { wanted.schedules[index].department = "refused" }
    return wanted
  }

  /// All coordinators go on with that configuration, as far as it may be changed.
  func reload(
    _ wanted: CoordinatorConfiguration, except obstacles: ConfigurationObstacles = ConfigurationObstacles()
  ) throws {
    for coordinator in coordinators {
      let change = ConfigurationChange(from: coordinator.configuration, to: wanted, except: obstacles)
      checkNames(change.configuration, of: coordinator)
      sometimes.note(
        .departmentRemoved,
        if: !coordinator.configuration.departments.keys.allSatisfy { change.configuration.departments[$0] != nil })
      checkOrder(change.configuration, after: coordinator.configuration)
      sometimes.note(.departmentBack, if: !change.addedDepartments.isEmpty)
      try coordinator.reconfigure(change.configuration)
    }
  }

  /// What a coordinator goes on with names no department that it does not have.
  private func checkNames(_ configuration: CoordinatorConfiguration, of coordinator: CoordinatorNode) {
    let known = configuration.departments
    for (plan, settings) in configuration.plans
    where !([settings.definition.department] + settings.definition.gates).allSatisfy({ known[$0] != nil }) {
      failures.append("\(coordinator.name) has plan \(plan), and not all departments that it names")
    }
    for (kind, settings) in configuration.kinds where settings.department.map({ known[$0] == nil }) ?? false {
      failures.append("\(coordinator.name) has kind \(kind), and not its department")
    }
    for schedule in configuration.schedules where schedule.department.map({ known[$0] == nil }) ?? false {
      failures.append("\(coordinator.name) has schedule \(schedule.name), and not its department")
    }
  }

  /// A department that goes on keeps its order, or has none.
  private func checkOrder(_ new: CoordinatorConfiguration, after old: CoordinatorConfiguration) {
    for (department, settings) in old.departments {
      guard let next = new.departments[department], next.isOrdered != settings.isOrdered else { continue }
      failures.append("\(department) goes on, and becomes \(next.isOrdered ? "an ordered one" : "one without order")")
    }
  }
}
