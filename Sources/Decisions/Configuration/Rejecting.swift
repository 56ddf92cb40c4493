package import JobModel

extension Pass {
  /// - Throws: `Rejection` when the sender may not submit to the department, or to none at all.
  package func requireSubmitting(_ department: Department?, _ id: JobID, _ reply: ReplyAddress?) throws(Rejection) {
    guard !isUnlimited, let failure = refusal(of: .submit, in: department) else { return }
    throw Rejection(failure, reply: reply, messageID: id.description)
  }

  /// - Throws: `Rejection` when the sender may not give commands.
  package func requireCommanding(_ id: JobID, _ reply: ReplyAddress?) throws(Rejection) {
    guard let failure = refusal(of: .command) else { return }
    throw Rejection(failure, reply: reply, messageID: id.description)
  }

  /// The answer to a submission that nobody could read. That its user may not submit at all comes before the mistake in
  /// it: a message that is parked for the mistake alone may be put back, and then has the rights of another user.
  package func answer(to unreadable: Rejection) -> Rejection {
    guard let failure = refusal(of: .submit) else { return unreadable }
    return Rejection(failure, reply: unreadable.reply, messageID: unreadable.messageID)
  }
}

extension CoordinatorConfiguration {
  package func unknownDepartment(of submission: Submission) -> Rejection {
    let failure =
      submission.department.map { JobFailure.unknownDepartment($0.name, known: departments.keys) }
      ?? JobFailure.noDepartment(of: submission.kind, self)
    return Rejection(failure, reply: submission.reply, messageID: submission.id.description)
  }

  /// The answer when there is no department of that name; nil when there is.
  package func unknownDepartment(_ department: Department) -> JobFailure? {
    departments[department] == nil ? .unknownDepartment(department.name, known: departments.keys) : nil
  }
}

extension JobFailure {
  package static func unknownDepartment(_ name: String, known: some Collection<Department>) -> JobFailure {
    let names = known.map(\.name).sorted()
    let hint = Suggestion.question(for: name, in: names)
    return JobFailure(
      code: Code.unknownDepartment,
      message: "there is no department \"\(name)\"\(hint); the coordinator's teller.yaml names: "
        + names.joined(separator: ", "))
  }

  /// A submission names no department, and neither `kinds:` nor a department of the kind's name says where it belongs.
  package static func noDepartment(of kind: JobKind, _ configuration: CoordinatorConfiguration) -> JobFailure {
    let known = configuration.kinds.keys.map(\.name) + configuration.departments.keys.map(\.name)
    let hint = Suggestion.question(for: kind.name, in: known)
    let names = configuration.departments.keys.map(\.name).sorted().joined(separator: ", ")
    return JobFailure(
      code: Code.unknownDepartment,
      message: "kind \"\(kind)\" has no department\(hint); name one, or the kind under `kinds:` in the coordinator's "
        + "teller.yaml, which has the departments: \(names)")
  }
}
