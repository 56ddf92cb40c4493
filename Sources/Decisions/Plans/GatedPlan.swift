package import JobModel

/// A plan, the department in which it runs, and those that wait until it is open. Pure.
///
/// A plan in a department behind another one's gate begins when that plan is open. Around a circle of gates, none begins.
package struct GatedPlan: Sendable {
  /// Nil: it has none yet.
  let name: PlanName?
  let department: Department
  let gates: Set<Department>

  package init(_ name: PlanName?, in department: Department, gates: some Sequence<Department>) {
    (self.name, self.department, self.gates) = (name, department, Set(gates))
  }

  /// Where a circle begins: a gate of this plan, and a plan behind that gate for which this plan waits, perhaps by way of
  /// others; nil: there is no circle.
  package func circle(among others: [GatedPlan]) -> (gate: Department, plan: PlanName)? {
    for gate in gates.sorted() {
      if let plan = plan(behind: gate, among: others) { return (gate, plan) }
    }
    return nil
  }

  /// The first plan behind a gate of this one for which this one waits; nil: the gate closes no circle.
  package func plan(behind gate: Department, among others: [GatedPlan]) -> PlanName? {
    if gate == department { return nil }
    return others.lazy.filter { $0.department == gate && $0.opens(before: self, others) }.compactMap(\.name).first
  }

  /// Whether another plan waits, perhaps by way of others, until this one is open.
  private func opens(before last: GatedPlan, _ others: [GatedPlan]) -> Bool {
    var (seen, waiting): (Set<Department>, [Department]) = (gates, Array(gates))
    while let department = waiting.popLast() {
      if department == last.department { return true }
      for other in others where other.department == department {
        waiting += other.gates.filter { seen.insert($0).inserted }
      }
    }
    return false
  }
}
