import Decisions
import JobModel
import Ledger

/// Which departments wait until a plan is open. The phases in the ledger and the configuration say that; the memory
/// follows them.
struct PlanGates {
  let configuration: CoordinatorConfiguration
  let departments: Departments
  let rules: KnownRules

  /// Closes the departments behind the gates that are shut now, and no others.
  func closeDepartments(by ledger: LedgerTransaction) throws {
    var shut: [Department: Set<PlanName>] = [:]
    for (name, settings) in configuration.plans where !settings.definition.gates.isEmpty {
      if try ledger.phase(of: name)?.areGatesOpen == true { continue }
      for gate in settings.definition.gates { shut[gate, default: []].insert(name) }
    }
    for (name, gate) in try ledger.shutGates() where configuration.plans[name] == nil {
      shut[gate, default: []].insert(name)
    }
    departments.gate(shut)
  }

  /// The departments behind the gates of a plan: of one in the configuration, as it says now; else as the last run was
  /// submitted. A plan that was taken out of the configuration has none.
  func departments(behind record: PlanPhaseRecord, _ ledger: LedgerTransaction) throws -> [Department] {
    if let settings = configuration.plans[record.name] { return settings.definition.gates }
    guard let run = record.run, !record.isConfigured else { return [] }
    return try rules.rules(of: run, ledger)?.gates ?? []
  }
}
