/// What a user of the broker is for, as `users:` in the coordinator's configuration says it.
package enum UserRole: String, Hashable, Sendable, CaseIterable {
  /// Serves departments.
  case worker
  /// Serves departments, and may submit, ask and watch beside it.
  case submittingWorker = "submitting-worker"
  /// Submits, asks and watches.
  case producer
  /// Commands, reads payloads, and may do all that a producer may.
  case `operator`
  /// Asks and watches.
  case monitor

  /// Whether it has to do with departments: only then may it be held to some of them.
  package var hasDepartments: Bool { may(.serve) || self == .producer }

  /// Whether a user of this role may do that.
  package func may(_ act: Access.Act) -> Bool {
    switch (self, act) {
    case (.worker, .serve), (.submittingWorker, .serve): true
    case (.submittingWorker, .submit), (.producer, .submit), (.operator, .submit): true
    case (.operator, .command), (.operator, .readPayload): true
    case (.worker, .ask): false
    case (_, .ask): true
    default: false
    }
  }
}

/// The settings of a user of the broker in `teller.yaml`: which messages of the user the coordinator takes.
package struct UserSettings: Sendable, Hashable {
  /// The user's role.
  package var role: UserRole
  /// The departments that the user may serve and submit to; nil: all. Not for operators and monitors.
  package var departments: [Department]?

  /// A user with a role, for some departments or for all.
  package init(role: UserRole, departments: [Department]? = nil) {
    self.role = role
    self.departments = departments
  }
}

/// Who may do what, by the user that a message names: the broker lets nobody name another one.
///
/// Without `users` the broker's permissions alone decide. They know exchanges and queues, but neither what is in a message
/// nor which department it is about: that is decided here. Pure.
package struct Access: Hashable, Sendable {
  /// What somebody wants the coordinator to take from him.
  package enum Act: Hashable, Sendable {
    /// A submission.
    case submit
    /// A presence, a claim, a report.
    case serve
    /// A command of an operator.
    case command
    /// A question.
    case ask
    /// The question for a payload.
    case readPayload
  }

  /// By the name of the user; nil: the broker's permissions alone decide.
  package var users: [ExactText: UserSettings]?
  /// The coordinator's own user, who alone sends what the coordinator sends to itself; nil: not known.
  package var coordinator: String?

  package init(users: [ExactText: UserSettings]? = nil, coordinator: String? = nil) {
    self.users = users
    self.coordinator = coordinator
  }

  /// Whether a submission has come by a binding that somebody has made: the coordinator itself submits nothing. Not known
  /// without `users`, where all may have one user.
  package func isBoundHere(_ user: String?) -> Bool { users != nil && user.map { $0.isExactly(coordinator) } == true }

  /// Whether a message is the coordinator's own.
  package func isOwn(_ user: String?) -> Bool { coordinator.map { $0.isExactly(user) } ?? true }

  /// What the sender of a message may do. `user` is the one that it names, nil when it names none.
  package func pass(of user: String?) -> Pass {
    guard let users else { return Pass(user: user, grant: .everything) }
    guard let user else { return Pass(user: nil, grant: .nothing) }
    return Pass(user: user, grant: users[ExactText(user)].map { .role($0.role, $0.departments) } ?? .nothing)
  }
}

/// What the sender of a message may do. It is the same for everything in the message.
package struct Pass: Hashable, Sendable {
  fileprivate enum Grant: Hashable, Sendable {
    case everything
    case role(UserRole, [Department]?)
    case nothing
  }

  /// Nil: the message names none.
  package let user: String?
  fileprivate let grant: Grant

  /// Of the coordinator itself.
  package static let everything = Pass(user: nil, grant: .everything)

  /// Whether nothing has to be asked.
  package var isUnlimited: Bool { grant == .everything }

  /// Whether something may be done.
  ///
  /// - Parameters:
  ///   - act: what.
  ///   - department: the one that it is about; nil: none, or none is known.
  /// - Returns: why it is refused, as it is answered; nil: it may be done.
  package func refusal(of act: Access.Act, in department: Department? = nil) -> JobFailure? {
    switch grant {
    case .everything: return nil
    case .nothing: return .notAllowed(unknown)
    case .role(let role, let departments):
      guard role.may(act) else { return .notAllowed("user \(quoted) is a \(role.rawValue), which may not \(act.text)") }
      guard let department, let departments, !departments.contains(department), role.hasDepartments else { return nil }
      let names = Set(departments.map(\.name)).sorted().joined(separator: ", ")
      return .notAllowed(
        "user \(quoted) may not \(act.text) for department \"\(department)\"; `users:` in the coordinator's teller.yaml "
          + "allows: \(names)")
    }
  }

  private var unknown: String {
    guard user != nil else {
      return "the message names no user: set the property user_id to the user of the connection"
    }
    return "user \(quoted) is not under `users:` in the coordinator's teller.yaml"
  }

  /// How much of a name is repeated.
  private static let shownCharacters = 100

  private var quoted: String { "\"\((user ?? "").prefix(Pass.shownCharacters))\"" }
}

/// Remembers the last pass: neighbouring messages have the same sender mostly.
package struct Passes: Sendable {
  private let access: Access
  private var last: Pass?

  package init(_ access: Access) { self.access = access }

  package mutating func pass(of user: String?) -> Pass {
    if let last, user.map({ last.user?.isExactly($0) == true }) ?? (last.user == nil) { return last }
    let pass = access.pass(of: user)
    last = pass
    return pass
  }
}

extension Access.Act {
  fileprivate var text: String {
    switch self {
    case .submit: "submit jobs"
    case .serve: "serve as a worker"
    case .command: "give commands"
    case .ask: "ask"
    case .readPayload: "read payloads"
    }
  }
}

extension JobFailure {
  static func notAllowed(_ message: String) -> JobFailure { JobFailure(code: Code.notAllowed, message: message) }

  /// A worker's id was first announced by another user.
  package static func foreignWorker(_ worker: WorkerID, _ user: String?) -> JobFailure {
    notAllowed(
      "worker \(worker) was announced by another user than \(user.map { "\"\($0.prefix(100))\"" } ?? "none"): nobody "
        + "speaks for another one's worker")
  }

  /// What only the coordinator sends, to itself.
  package static func onlyTheCoordinator() -> JobFailure {
    notAllowed("only the coordinator sends this, to itself")
  }
}
