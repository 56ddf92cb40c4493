import AuditSupport
import Decisions
import JobModel
import Teller

extension World {
  /// How long a job rests at least between two of its runs: as the configurations so far say of its kind, else as the
  /// handler does.
  func pauses(of submission: Submission) -> Wanted.Pauses? {
    guard let configured = leastRetries[submission.kind] else {
      let policy = Script.policies(of: submission.kind)[submission.department ?? Departments.work]
      return policy.retry.map { Wanted.Pauses(retry: $0) }
    }
    let script = Script(submission.content.payload)
    return Wanted.Pauses(
      retry: configured, atLeast: script.act == .later ? Script.laterThan : .zero,
      snooze: script.act == .snooze ? Script.snooze : .zero)
  }
}

// Which pauses are allowed.
extension World {
  /// Jobs may be tried again as soon as that configuration says, also those that were submitted before.
  func allowRetries(_ configuration: CoordinatorConfiguration) {
    for kind in HandlerKinds.sorted {
      let configured = configuration.kinds[kind]?.retry
      guard let known = leastRetries[kind] else {
        leastRetries[kind] = configured
        continue
      }
      let handler = Script.policies(of: kind)[Departments.work].retry
      let least = known.least(configured ?? handler ?? RetrySettings())
      if least == known { continue }
      leastRetries[kind] = least
      allowPauses(of: kind)
    }
  }

  private func allowPauses(of kind: JobKind) {
    for submission in clients.flatMap(\.submissions) where submission.kind == kind {
      guard var wanted = record.wanted[submission.id] else { continue }
      wanted.pauses = pauses(of: submission)
      record.want(wanted, of: submission.id)
    }
  }
}

extension RetrySettings {
  /// Rests that are no longer than these, and than those of the other settings.
  fileprivate func least(_ other: RetrySettings) -> RetrySettings {
    RetrySettings(
      first: min(first, other.first), factor: min(factor, other.factor), longest: min(longest, other.longest),
      jitter: max(jitter, other.jitter))
  }
}
