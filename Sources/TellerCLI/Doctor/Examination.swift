import AMQP
import CoordinatorSettings
import Decisions
import JobModel
import Ledger
import Teller

/// Looks at everything, one after the other, and says what it has found.
struct Examination {
  let role: BrokerRole
  /// The settings of a coordinator, or what is wrong with them.
  let settings: Result<ProcessSettings, WrongSettings>
  /// The settings of whatever connects.
  let connection: Result<ProcessSettings, WrongSettings>
  let management: ManagementAddress?

  /// In the order of their areas.
  func findings() async -> [Finding] {
    var findings: [Finding] = []
    var claimant: LedgerGlanceOutcome?
    if role == .coordinator { claimant = await LedgerExamination.look(ledgerPath) }
    findings += await ofBroker(claimant)
    findings += MachineExamination.descriptors()
    if role == .coordinator {
      findings += MachineExamination.disk(of: ledgerPath)
      findings += claimant?.findings ?? []
      findings += ConfigurationExamination.findings(settings)
    }
    return Finding.Area.allCases.flatMap { area in findings.filter { $0.area == area } }
  }

  /// Another setting may be wrong while this one is known.
  private var ledgerPath: String {
    (try? settings.get().ledger) ?? (try? ProcessSettings.ledgerAlone(file: nil).ledger) ?? ProcessSettings().ledger
  }

  private func ofBroker(_ claimant: LedgerGlanceOutcome?) async -> [Finding] {
    let broker: TellerConfiguration
    switch connection {
    case .success(let settings): broker = settings.broker
    case .failure(let wrong):
      // The mistakes themselves are those of the configuration, where a coordinator is looked at.
      let cure = role == .coordinator ? "see the configuration below" : "correct it"
      return [.wrong(.broker, "its address is not known: \(wrong.description)", cure: cure)]
    }
    let departments = (try? settings.get().coordinator.departments.keys.sorted()) ?? []
    let found = await BrokerExamination(
      settings: broker, role: role, departments: departments, ledger: claimant?.glance?.id
    ).findings()
    guard found.allSatisfy({ $0.area != .broker || $0.state != .wrong }) else { return found + skipped() }
    async let coordinator = CoordinatorExamination.findings(broker, role, seesPolicies: management != nil)
    async let managed = PolicyExamination.findings(management, broker)
    return await found + coordinator + managed
  }

  private func skipped() -> [Finding] {
    [.note(.permissions, "not looked at, as the broker cannot be used")]
  }
}
