import Decisions
import JobModel
import JobTransport
import Yams

extension ConfigurationFile {
  /// Refuses a department that a user, a kind or a schedule names, and that does not exist.
  func checkDepartments(lines root: Node) throws(LineProblem) {
    try checkUsers(lines: root)
    try checkKinds(lines: root)
    try checkSchedules(lines: root)
  }

  private func checkUsers(lines root: Node) throws(LineProblem) {
    for (name, user) in (settings.coordinator.access.users ?? [:]).sorted(by: { $0.key < $1.key }) {
      for department in user.departments ?? [] {
        try check(department, at: root.node(at: [Keys.users.rawValue, name, UserSettings.Keys.departments.rawValue]))
      }
    }
  }

  private func checkKinds(lines root: Node) throws(LineProblem) {
    for (kind, ofKind) in settings.coordinator.kinds.sorted(by: { $0.key.name < $1.key.name }) {
      guard let department = ofKind.department else { continue }
      try check(department, at: root.node(at: [Keys.kinds.rawValue, kind.name, KindSettings.Keys.department.rawValue]))
    }
  }

  /// Here, since the coordinator would refuse each firing, and nobody would see it.
  private func checkSchedules(lines root: Node) throws(LineProblem) {
    for schedule in settings.coordinator.schedules {
      guard let department = schedule.department ?? settings.coordinator.department(of: schedule.kind) else { continue }
      let key: CronSchedule.Keys = schedule.department == nil ? .kind : .department
      try check(department, at: root.node(at: [Keys.schedules.rawValue, schedule.name, key.rawValue]))
    }
  }

  /// - Throws: when there is no such department.
  private func check(_ department: Department, at node: Node) throws(LineProblem) {
    let departments = settings.coordinator.departments
    if departments[department] != nil { return }
    let advice = Suggestion.question(for: department.name, in: departments.keys.map(\.name))
    throw LineProblem(node, "there is no department \"\(department)\" under `departments:`\(advice)")
  }

  /// Reads what the schedules submit. Only the tree of nodes knows whether a word stands in quotes.
  mutating func readPayloads(lines root: Node) throws(LineProblem) {
    for (index, schedule) in settings.coordinator.schedules.enumerated() {
      let node = root.node(at: [Keys.schedules.rawValue, schedule.name])
      guard let payload = node.mapping?[CronSchedule.Keys.payload.rawValue] else { continue }
      settings.coordinator.schedules[index].payload =
        try PayloadNode.value(of: payload, limit: SubmissionCodec.defaultBodyLimit)
    }
  }
}
