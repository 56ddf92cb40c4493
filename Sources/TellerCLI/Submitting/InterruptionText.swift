import Teller

/// The last line of an interrupted `submit`. The jobs that the broker has are not taken back.
enum InterruptionText {
  /// The line with the totals by then, and with a failure beside the interruption.
  static func line(_ totals: SubmissionTotals, _ failure: Failure?) -> String {
    let done =
      totals.submitted == 0
      ? "nothing is known to be submitted"
      : "what is submitted stays so (\(totals.submitted)); `teller cancel` takes it back"
    return (["interrupted", done] + [failure?.message].compactMap { $0 }).joined(separator: "; ")
  }

  /// The text about jobs that were sent and not confirmed.
  static func unconfirmed(_ jobs: [JobID]) -> String {
    let first = jobs.prefix(1).map { "job \($0)" }.joined()
    return jobs.count > 1
      ? "\(jobs.count) more jobs may be submitted all the same, the first of them \(first)"
      : "\(first) may be submitted all the same"
  }
}
