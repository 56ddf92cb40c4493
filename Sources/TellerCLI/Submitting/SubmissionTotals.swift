import JobModel

/// What became of everything that was to be submitted.
struct SubmissionTotals: Equatable, Encodable {
  /// The broker has them safely.
  var submitted = 0
  var accepted = 0
  var rejected = 0
  /// Confirmed by the broker, and no coordinator has answered.
  var notYetAccepted = 0
  var badLines = 0
  /// Of those that were waited for.
  var succeeded = 0
  var failed = 0
  var cancelled = 0
  var seconds = 0.0
  /// Accepted jobs per second.
  var jobsPerSecond = 0.0

  /// The status of a run that was not cut short.
  var status: ExitStatus {
    if notYetAccepted > 0 { return .notYetAccepted }
    if rejected + badLines > 0 { return .rejected }
    return failed + cancelled > 0 ? .jobFailed : .success
  }

  mutating func took(_ time: Duration) {
    let elapsed = Double(time.milliseconds) / 1000
    seconds = elapsed
    jobsPerSecond = elapsed > 0 ? (Double(accepted) / elapsed).rounded() : 0
  }

  /// One line for people.
  var text: String {
    var parts = ["submitted \(submitted)", "accepted \(accepted)", "rejected \(rejected)", "bad lines \(badLines)"]
    if notYetAccepted > 0 { parts.append("not yet accepted \(notYetAccepted)") }
    if succeeded + failed + cancelled > 0 {
      parts.append("succeeded \(succeeded), failed \(failed), cancelled \(cancelled)")
    }
    return parts.joined(separator: ", ") + ", in \(seconds) s: \(Int(jobsPerSecond)) jobs/s"
  }

  static func += (left: inout SubmissionTotals, right: SubmissionTotals) {
    left.submitted += right.submitted
    left.accepted += right.accepted
    left.rejected += right.rejected
    left.notYetAccepted += right.notYetAccepted
    left.badLines += right.badLines
    left.succeeded += right.succeeded
    left.failed += right.failed
    left.cancelled += right.cancelled
  }
}
