package import JobModel

extension AdminRequest {
  /// What a command that was answered so has done, a row for each job that it has changed; nothing for one that changed none.
  package func actions(_ answer: (any Answer)?, by author: CommandAuthor, at now: Timestamp) -> [OperatorAction] {
    let action = OperatorAction(action: word, at: now, by: author.by, user: author.user)
    switch self {
    case .cancel(let selection), .replay(let selection), .drop(let selection):
      guard let changes = answer as? JobChanges else { return [action.aboutMany(selection, answer as? JobOperation)] }
      return changes.changed.map { action.aboutJob($0) }
    case .acceptRestored(let selection), .dropRestored(let selection):
      return [action.aboutMany(selection, answer as? JobOperation)]
    case .reset: return [action.aboutMany(JobSelection(), answer as? JobOperation)]
    case .rerank(let order):
      return [action.aboutJob(order.job, order.priority.map { "priority \($0)" } ?? order.rank.map { "rank \($0)" })]
    case .payload(let job): return [action.aboutJob(job)]
    case .pause(let department), .resume(let department):
      return (answer as? DepartmentPause)?.isNew == false ? [] : [action.aboutNamed(department)]
    case .resize(let order):
      return [action.aboutNamed(order.department, named: order.worker, "tellers \(order.tellers)")]
    case .freeKey(let order):
      return (answer as? FreedKey)?.wasTaken == false ? [] : [action.aboutKey(order.kind, order.key)]
    case .resetKeys(let order):
      return [action.aboutKey(order.kind, order.key, began: (answer as? JobOperation)?.id)]
    case .drainWorker(let order): return [action.aboutNamed(nil, named: order.worker)]
    case .stopPlan(let order):
      let stop = action.aboutNamed(nil, named: order.plan.name, "gates \(order.gates.rawValue)")
      return [stop] + ((answer as? PlanStop)?.operations ?? []).map { stop.withOperation($0) }
    case .forgetSubscriber(let name):
      return (answer as? ForgottenSubscriber)?.wasKept == false ? [] : [action.aboutNamed(nil, named: name.name)]
    case .note(let note): return [note.action(by: author, at: now)]
    }
  }
}

extension OperatorAction {
  fileprivate func aboutJob(_ job: JobID, _ detail: String? = nil) -> OperatorAction {
    var action = self
    (action.job, action.detail) = (job, detail)
    return action
  }

  fileprivate func aboutNamed(
    _ department: Department?, named name: String? = nil, _ detail: String? = nil
  ) -> OperatorAction {
    var action = self
    (action.department, action.name, action.detail) = (department, name, detail)
    return action
  }

  fileprivate func aboutKey(_ kind: JobKind, _ key: String?, began operation: JobOperation.ID? = nil) -> OperatorAction
  {
    var action = self
    (action.kind, action.name, action.operation) = (kind, key, operation)
    return action
  }

  fileprivate func withOperation(_ operation: JobOperation.ID) -> OperatorAction {
    var action = self
    action.operation = operation
    return action
  }

  fileprivate func aboutMany(_ selection: JobSelection, _ operation: JobOperation?) -> OperatorAction {
    var action = self
    (action.department, action.kind, action.operation) = (selection.department, selection.kind, operation?.id)
    action.detail = selection.narrowing.words
    return action
  }
}
