import AuditSupport
import Decisions
import JobModel
import Teller

// Which pauses are allowed.
extension World {
  /// What everybody wanted, with how long each job rests at least between two of its runs.
  var recordWithPauses: Record {
    var record = record
    for submission in clients.flatMap(\.submissions) {
      guard var wanted = record.wanted[submission.id] else { continue }
      wanted.pauses = pauses(of: submission)
      record.want(wanted, of: submission.id)
    }
    return record
  }

  /// As each configuration that was in force says of the job's kind, else as the handler does.
  func pauses(of submission: Submission) -> Wanted.Pauses {
    let handler = Script.policies(of: submission.kind)[submission.department ?? Departments.work].retry
    let script = Script(submission.content.payload)
    let retries = inForce.spans.map { span in
      Wanted.Pauses.Retry(
        span.configuration.settings(of: submission.kind).retry ?? handler ?? RetrySettings(), from: span.from,
        until: span.until)
    }
    return Wanted.Pauses(
      retries: retries, atLeast: script.act == .later ? Script.laterThan : .zero,
      snooze: script.act == .snooze ? Script.snooze : .zero)
  }
}
