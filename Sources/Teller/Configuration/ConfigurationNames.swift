import JobModel
import JobTransport
import Yams

extension ConfigurationFile {
  /// The content as settings. Every department that a user, a kind or a schedule names must exist.
  func configuration(lines root: Node) throws(LineProblem) -> TellerConfiguration {
    var configuration = settings
    try checkUsers(lines: root)
    try addKinds(to: &configuration, lines: root)
    try addSchedules(to: &configuration, lines: root)
    return configuration
  }

  private func checkUsers(lines root: Node) throws(LineProblem) {
    for (name, user) in (settings.users ?? [:]).sorted(by: { $0.key < $1.key }) {
      for department in user.departments ?? [] {
        let path = [Keys.users.rawValue, name, UserSettings.Keys.departments.rawValue]
        try settings.check(department, at: root.node(at: path[...]))
      }
    }
  }

  private func addKinds(to configuration: inout TellerConfiguration, lines root: Node) throws(LineProblem) {
    for (name, settings) in kinds.sorted(by: { $0.key < $1.key }) {
      if let department = settings.department {
        let path = [Keys.kinds.rawValue, name, KindSettings.Keys.department.rawValue]
        try configuration.check(department, at: root.node(at: path[...]))
      }
      if let kind = JobKind(name) { configuration.kinds[kind] = settings }
    }
  }

  private func addSchedules(to configuration: inout TellerConfiguration, lines root: Node) throws(LineProblem) {
    for (name, settings) in schedules.sorted(by: { $0.key < $1.key }) {
      let node = root.node(at: [Keys.schedules.rawValue, name][...])
      // Here, since the coordinator would refuse each firing, and nobody would see it.
      let ofKind = configuration.kinds[settings.kind]?.department ?? Department(settings.kind.name)
      if let department = settings.department ?? ofKind {
        let key: ScheduleSettings.Keys = settings.department == nil ? .kind : .department
        try configuration.check(department, at: node.node(at: [key.rawValue][...]))
      }
      var settings = settings
      if let payload = node.mapping?[ScheduleSettings.Keys.payload.rawValue] {
        settings.payload = try PayloadNode.value(of: payload, limit: SubmissionCodec.defaultBodyLimit)
      }
      configuration.schedules[name] = settings
    }
  }
}

extension TellerConfiguration {
  /// - Throws: when there is no such department.
  fileprivate func check(_ department: Department, at node: Node) throws(LineProblem) {
    if departments[department] != nil { return }
    let advice = Suggestion.question(for: department.name, in: departments.keys.map(\.name))
    throw LineProblem(node, "there is no department \"\(department)\" under `departments:`\(advice)")
  }
}
