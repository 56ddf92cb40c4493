import JobModel
import JobTransport
import Yams

extension ConfigurationFile {
  /// The content as values, its names checked against each other.
  func configuration(lines root: Node) throws(LineProblem) -> TellerConfiguration {
    var configuration = TellerConfiguration()
    if let broker { configuration.brokerURL = broker }
    configuration.brokerFile = brokerFile
    if let tls { configuration.tls = tls }
    if let insecure { configuration.allowsPlaintext = insecure }
    if let ledger { configuration.ledger = ledger }
    if let lease { configuration.lease = lease }
    configuration.health = health
    if let retention { configuration.retention = retention }
    if let priorityWorth { configuration.priorityWorth = priorityWorth }
    for (name, settings) in departments {
      if let department = Department(name) { configuration.departments[department] = settings }
    }
    try addUsers(to: &configuration, lines: root)
    try addKinds(to: &configuration, lines: root)
    try addSchedules(to: &configuration, lines: root)
    return configuration
  }

  private func addUsers(to configuration: inout TellerConfiguration, lines root: Node) throws(LineProblem) {
    for (name, user) in (users ?? [:]).sorted(by: { $0.key < $1.key }) {
      for department in user.departments ?? [] where configuration.departments[department] == nil {
        let path = [Keys.users.rawValue, name, UserSettings.Keys.departments.rawValue]
        throw LineProblem(root.node(at: path[...]), configuration.problem(withoutDepartment: department))
      }
    }
    configuration.users = users
  }

  private func addKinds(to configuration: inout TellerConfiguration, lines root: Node) throws(LineProblem) {
    for (name, settings) in kinds.sorted(by: { $0.key < $1.key }) {
      if let department = settings.department, configuration.departments[department] == nil {
        let path = [Keys.kinds.rawValue, name, KindSettings.Keys.department.rawValue]
        throw LineProblem(root.node(at: path[...]), configuration.problem(withoutDepartment: department))
      }
      if let kind = JobKind(name) { configuration.kinds[kind] = settings }
    }
  }

  private func addSchedules(to configuration: inout TellerConfiguration, lines root: Node) throws(LineProblem) {
    for (name, settings) in schedules.sorted(by: { $0.key < $1.key }) {
      let path = [Keys.schedules.rawValue, name]
      try check(settings, in: configuration, at: path, lines: root)
      var settings = settings
      if let payload = root.node(at: path[...]).mapping?[ScheduleSettings.Keys.payload.rawValue] {
        settings.payload = try PayloadNode.value(of: payload, limit: SubmissionCodec.defaultBodyLimit)
      }
      configuration.schedules[name] = settings
    }
  }

  /// A firing that the coordinator would refuse, each time and unseen, is refused here.
  private func check(
    _ settings: ScheduleSettings, in configuration: TellerConfiguration, at path: [String], lines root: Node
  ) throws(LineProblem) {
    let ofKind = configuration.kinds[settings.kind]?.department ?? Department(settings.kind.name)
    guard let department = settings.department ?? ofKind, configuration.departments[department] == nil else { return }
    let key: ScheduleSettings.Keys = settings.department == nil ? .kind : .department
    throw LineProblem(
      root.node(at: (path + [key.rawValue])[...]), configuration.problem(withoutDepartment: department))
  }
}

extension TellerConfiguration {
  fileprivate func problem(withoutDepartment department: Department) -> String {
    let meant = Suggestion.nearest(to: department.name, in: departments.keys.map(\.name))
    let advice = meant.map { "; did you mean \"\($0)\"?" } ?? ""
    return "there is no department \"\(department)\" under `departments:`\(advice)"
  }
}
