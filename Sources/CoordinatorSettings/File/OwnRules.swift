import Decisions
package import JobModel

extension ProcessSettings {
  /// Adds the rules that a program brings along, behind those of the file.
  ///
  /// - Throws: when one of them cannot be: each mistake names its rule.
  package mutating func add(_ rules: [Rule]) throws(WrongSettings) {
    if rules.isEmpty { return }
    var mistakes = Mistakes()
    let known = Set(coordinator.rules.map(\.name))
    coordinator.rules += rules
    if coordinator.allRules.count > Rule.limit {
      mistakes.note(line: nil, "there may be at most \(Rule.limit) rules, not \(coordinator.allRules.count)")
    }
    for (index, rule) in rules.enumerated() {
      let isKnown = known.contains(rule.name) || rules[..<index].contains { $0.name == rule.name }
      for problem in coordinator.problems(of: rule, isKnown: isKnown) {
        mistakes.note(line: nil, "rule \"\(rule.name)\" of the program: \(problem)")
      }
    }
    if mistakes.count > 0 { throw WrongSettings(file: file, mistakes: mistakes) }
  }
}

extension CoordinatorConfiguration {
  fileprivate func problems(of rule: Rule, isKnown: Bool) -> [String] {
    var problems: [String] = isKnown ? ["another rule has its name"] : []
    if !WebhookSettings.isFree(rule.name) { problems.append(RuleParts.reservedName) }
    let department = rule.submit.department ?? department(of: rule.submit.kind)
    if department.flatMap({ departments[$0] }) == nil {
      problems.append("there is no department \"\(department?.name ?? "")\" for its job")
    }
    return problems + self.problems(of: rule)
  }

  /// What is wrong with a rule among the others.
  func problems(of rule: Rule) -> [String] {
    let circle = RuleCircles(allRules, department: department(of:)).circle(of: rule)
    let path = circle?.map { "\"\($0)\"" }.joined(separator: " makes a job for ")
    return notRecorded(rule.on).map { "\"notify\" leaves \($0) out, and this rule would never make a job of it" }
      + (path.map { ["the rule would trigger itself: \($0); narrow it, for example with \"except\""] } ?? [])
  }
}
