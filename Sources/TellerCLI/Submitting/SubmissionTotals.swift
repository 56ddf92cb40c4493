import JobModel

/// The numbers of jobs in a submission, by what became of them: the last line of `--json`.
struct SubmissionTotals: Equatable, Encodable {
  let event = "summary"
  /// Confirmed by the broker.
  var submitted = 0
  /// Recorded, or known already: the duplicates are among them.
  var accepted = 0
  var duplicates = 0
  /// Accepted jobs, and duplicates of jobs, that had failed or were cancelled by then. 0 where outcomes are waited for:
  /// then these decide.
  var notToRun = 0
  var rejected = 0
  /// Confirmed by the broker, and not accepted within the limit.
  var notYetAccepted = 0
  var badLines = 0
  // Jobs whose outcomes were waited for.
  var succeeded = 0
  var failed = 0
  var cancelled = 0
  /// Accepted and waited for, and no coordinator has told the outcome.
  var outcomeUnknown = 0
  /// Accepted and waited for, and the coordinator does not know the job any more.
  var unknown = 0
  var seconds = 0.0
  /// Accepted jobs per second.
  var jobsPerSecond = 0.0

  mutating func count(_ decision: SubmissionDecision, waits: Bool) {
    accepted += 1
    if decision.answer == .duplicate { duplicates += 1 }
    if !decision.willRun, !waits { notToRun += 1 }
  }

  /// The exit code of a run that was not cut short.
  var status: ExitStatus {
    if notYetAccepted > 0 { return .notYetAccepted }
    if outcomeUnknown > 0 { return .noCoordinator }
    if unknown > 0 { return .unknownJob }
    if rejected + badLines + notToRun > 0 { return .rejected }
    return failed + cancelled > 0 ? .jobFailed : .success
  }

  mutating func count(_ outcome: Outcome) {
    switch outcome {
    case .succeeded: succeeded += 1
    case .failed: failed += 1
    case .cancelled: cancelled += 1
    }
  }

  mutating func took(_ time: Duration) {
    let elapsed = Double(time.milliseconds) / 1000
    seconds = elapsed
    jobsPerSecond = elapsed > 0 ? (Double(accepted) / elapsed).rounded() : 0
  }

  /// One line for people.
  var text: String {
    var parts = ["submitted \(submitted)", "accepted \(accepted)", "rejected \(rejected)", "bad lines \(badLines)"]
    if duplicates > 0 { parts.append("\(duplicates) duplicates") }
    if notToRun > 0 { parts.append("\(notToRun) will not run") }
    if notYetAccepted > 0 { parts.append("\(notYetAccepted) confirmed, not yet accepted") }
    if succeeded + failed + cancelled > 0 {
      parts.append("succeeded \(succeeded), failed \(failed), cancelled \(cancelled)")
    }
    if outcomeUnknown > 0 { parts.append("outcome unknown \(outcomeUnknown)") }
    if unknown > 0 { parts.append("not known any more \(unknown)") }
    return parts.joined(separator: ", ") + ", in \(seconds) s: \(Int(jobsPerSecond)) jobs/s"
  }

  static func += (left: inout SubmissionTotals, right: SubmissionTotals) {
    left.submitted += right.submitted
    left.accepted += right.accepted
    left.duplicates += right.duplicates
    left.notToRun += right.notToRun
    left.rejected += right.rejected
    left.notYetAccepted += right.notYetAccepted
    left.badLines += right.badLines
    left.succeeded += right.succeeded
    left.failed += right.failed
    left.cancelled += right.cancelled
    left.outcomeUnknown += right.outcomeUnknown
    left.unknown += right.unknown
  }
}
