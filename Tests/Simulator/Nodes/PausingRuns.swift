import AuditSupport
import Bookkeeping
import JobModel
import JobTransport

// Handlers may ask for a rest: what they call does not work, and their department is paused until somebody looks after it.
extension Load {
  /// A job whose first attempt fails, and has its department paused.
  func pausing() { client.submit(job("flaky", Script(length: length, .pause), attempts: 8), Wanted()) }
}

extension World {
  /// Somebody sees that the department is paused, and resumes it; once more later, since the report may be long under way.
  func resumeSoon(_ department: Department) {
    for range in [200...2_500, 4_000...9_000] {
      after(.milliseconds(number(range)), nil, "an operator resumes \(department)") { [self] in
        clients[0].command(.resume(department))
      }
    }
  }
}

extension CoordinatorNode {
  /// What is paused before a batch of reports is recorded, and whether one counts that asks for a pause.
  struct PausedBefore {
    var departments: Set<String>
    var isAsked: Bool
  }

  /// Nil: no report of the batch asks for a pause.
  func pausedBefore(_ messages: [ReportMessage]) throws -> PausedBefore? {
    let asking = messages.compactMap { message -> Report? in
      guard case .report(let report) = message, report.hint?.pausesDepartment == true else { return nil }
      return report
    }
    guard !asking.isEmpty, !world.isRolledBack, !world.otherLedgerServed else { return nil }
    let reading = try file.reading
    let isAsked = try asking.contains { try reading.presentRun(of: $0.job)?.token == $0.token }
    return PausedBefore(departments: try reading.pausedDepartments(), isAsked: isAsked)
  }

  /// Only a report that counts has its department paused: not that of a run whose job was given to another one since, and
  /// not the same once more.
  func checkPauses(since before: PausedBefore) throws {
    let paused = try file.reading.pausedDepartments().subtracting(before.departments)
    world.sometimes.note(.pausedByRun, if: !paused.isEmpty)
    world.sometimes.note(.stalePause, if: !before.isAsked)
    guard !paused.isEmpty, !before.isAsked else { return }
    world.failures.append("\(name) pauses \(paused.sorted()) for a report that does not count")
  }
}
