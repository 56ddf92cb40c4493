import AuditSupport
import Decisions
import JobModel
import Teller

extension World {
  /// How long a job rests at least between two of its runs: as the configuration says of its kind, else as the handler does.
  func pauses(of submission: Submission) -> Wanted.Pauses? {
    guard let configured = coordinators.first?.configuration.kinds[submission.kind]?.retry else {
      let policy = Script.policies(of: submission.kind)[submission.department ?? Departments.work]
      return policy.retry.map { Wanted.Pauses(retry: $0) }
    }
    let script = Script(submission.content.payload)
    return Wanted.Pauses(
      retry: configured, atLeast: script.act == .later ? Script.laterThan : .zero,
      snooze: script.act == .snooze ? Script.snooze : .zero)
  }
}
