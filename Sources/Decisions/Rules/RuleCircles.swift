package import JobModel

/// Finds rules that would go on for ever: a rule whose job may end, or fail, in a way that makes a job of the same rule
/// again, perhaps by way of others. Pure.
package struct RuleCircles {
  private let rules: [Rule]
  private let department: (JobKind) -> Department?

  /// `department`: where a job of a kind runs that names no department.
  package init(_ rules: [Rule], department: @escaping (JobKind) -> Department?) {
    (self.rules, self.department) = (rules, department)
  }

  /// The rules by way of which a rule triggers itself, beginning and ending with it; nil: it does not.
  package func circle(of rule: Rule) -> [RuleName]? {
    var paths: [[Rule]] = [[rule]]
    var seen: Set<RuleName> = []
    while !paths.isEmpty {
      let path = paths.removeFirst()
      for next in rules where path.last.map({ triggers($0, next) }) == true {
        if next.name == rule.name { return (path + [next]).map(\.name) }
        if seen.insert(next.name).inserted { paths.append(path + [next]) }
      }
    }
    return nil
  }

  /// What may be told of a job with an attempt; the last one only of a job with a key.
  private static let events = ["succeeded", "failed", "cancelled", OptionalEvent.attemptFailed.rawValue]

  /// Whether something that may be told of the job of one rule may make a job of another one.
  private func triggers(_ rule: Rule, _ next: Rule) -> Bool {
    let (job, on) = (rule.submit, next.on)
    guard on.jobs.isEmpty, on.plans.isEmpty, on.names.isEmpty, on.kinds.passes(job.kind),
      !on.exceptKinds.contains(job.kind), mayHave(key: job.key, on.keys)
    else { return false }
    if job.key != nil, on.events.passes(OptionalEvent.keyFreed.rawValue), on.departments.isEmpty, on.errors.isEmpty {
      return true
    }
    guard let department = job.department ?? department(job.kind), on.departments.passes(department),
      !on.exceptDepartments.contains(department)
    else { return false }
    return RuleCircles.events.contains { on.events.passes($0) && (on.errors.isEmpty || $0 != "succeeded") }
  }

  private func mayHave(key: RuleTemplate?, _ wanted: Set<ExactText>) -> Bool {
    if wanted.isEmpty { return true }
    guard let key else { return false }
    // A key that depends on the notification may be any.
    return key.constantText.map { wanted.contains(ExactText($0)) } ?? true
  }
}
