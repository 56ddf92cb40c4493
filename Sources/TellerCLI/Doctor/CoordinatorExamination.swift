import Decisions
import JobModel
import Logging
import Teller

/// Asks the coordinator that serves.
enum CoordinatorExamination {
  /// How long it may take: a person waits.
  private static let patience: Duration = .seconds(5)

  static func findings(
    _ settings: TellerConfiguration, _ role: BrokerRole, seesPolicies: Bool
  ) async -> [Finding] {
    if let user = role.user, !user.may(.ask) { return [.note(.coordinator, "not asked: a \(role.rawValue) may not")] }
    do {
      let status = try await status(settings)
      return [serving(status)] + versions(status) + departments(status) + deadLetters(status, seesPolicies)
    } catch {
      let cure = "start one, or see its log and its /ready"
      return [.note(.coordinator, "none answers: \(Failure(error).message ?? "")", cure: cure)]
    }
  }

  private static func status(_ settings: TellerConfiguration) async throws -> TellerStatus {
    var timeouts = ClientTimeouts.forPeople
    timeouts.request = patience
    let logger = Logger(label: "teller.doctor") { _ in SwiftLogNoOpLogHandler() }
    let client = try await TellerClient.connect(settings, name: "teller doctor", timeouts: timeouts, logger: logger)
    do {
      let status = try await client.status()
      await client.close()
      return status
    } catch {
      await client.close()
      throw error
    }
  }

  private static func serving(_ status: TellerStatus) -> Finding {
    let workers = status.workers.count == 1 ? "1 worker" : "\(status.workers.count) workers"
    return .ok(.coordinator, "it serves the ledger \(status.ledger), and has heard of \(workers)")
  }

  static func versions(_ status: TellerStatus) -> [Finding] {
    let (own, its) = (CoordinatorConfiguration.version, status.coordinator.version)
    if own == its { return [.ok(.versions, "Teller \(own), as the coordinator")] }
    return [
      .note(.versions, "this program is Teller \(own), and the coordinator is \(its)", cure: "see Deploy/upgrading.md")
    ]
  }

  static func departments(_ status: TellerStatus) -> [Finding] {
    status.departments.compactMap { department in
      if let refused = department.refused {
        return .wrong(
          .coordinator, "the department \(department.department) is out, as the broker refuses: \(refused)",
          cure: "correct the broker; the department comes back by itself")
      }
      return stuck(department)
    }
  }

  /// Where not all tellers are stuck, the jobs that do not end may have the places of the cap or the turn, or may not.
  private static func stuck(_ department: DepartmentStatus) -> Finding? {
    let (stuck, tellers) = (department.stuckTellers, department.tellers)
    let text =
      "\(stuck) of the \(tellers) tellers of \(department.department) are stuck, since their handlers do not end"
    let cure = "`teller status` names the jobs; end their workers' processes as Deploy/retries.md says"
    if stuck > 0, stuck >= tellers { return .wrong(.coordinator, text, cure: cure) }
    guard stuck > 0, department.isOrdered || stuck >= department.cap ?? .max else { return nil }
    return .note(.coordinator, "\(text), and the others may wait for them", cure: cure)
  }

  /// A policy that nobody may see has to be supposed to be there still.
  static func deadLetters(_ status: TellerStatus, _ seesPolicies: Bool) -> [Finding] {
    (status.coordinator.deadLetters ?? []).map {
      let text = text(of: $0)
      if seesPolicies { return .note(.policies, text) }
      return .wrong(
        .policies, text, cure: "see Deploy/policies.md for the key of the policy, and give --management to find it")
    }
  }

  private static func text(of count: DeadLetterCount) -> String {
    if count.reason == DeadLetterCause.missing {
      return "\(count.queue) was gone when the coordinator connected, and what waited in it is lost"
    }
    return
      "the broker took \(count.count) messages off \(count.queue) (\(count.reason)), and the coordinator took them back"
  }
}
