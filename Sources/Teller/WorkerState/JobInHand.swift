import Decisions
import JobModel

/// A release in the worker's hands.
struct JobInHand: Sendable {
  /// Without its payload once the job runs: the handler has the payload. A granted claim gives it another token and attempt.
  var assignment: Assignment
  /// Why the assignment cannot be run; nil: it was read.
  let problem: String?
  /// The department of its teller.
  let department: Department
  /// When the release was delivered first, perhaps on an earlier connection.
  let heldSince: ContinuousClock.Instant
  /// When the worker may ask again to have the job adopted; nil: the worker has not asked yet.
  private var asksAgainAt: ContinuousClock.Instant?
  /// The pause before the last question.
  private var askingPause: Duration = .zero
  /// When its run began; nil while the release is claimed or dropped.
  var startedAt: ContinuousClock.Instant?
  var hasRun: Bool { startedAt != nil }
  /// Whether the watches need not be told that the job runs: they were told, or the job has ended.
  var isAnnounced = false

  init(_ delivery: DeliveredAssignment, at now: ContinuousClock.Instant) {
    (assignment, problem, department) = (delivery.assignment, delivery.problem, delivery.department)
    heldSince = now
  }
}

extension JobInHand {
  /// The pause after a job's first question to be adopted; each further pause is twice as long.
  static let firstAskingPause: Duration = .seconds(2)
  static let longestAskingPause: Duration = .seconds(120)

  /// Whether the release has been in the worker's hands for long enough, and has not asked a moment ago.
  func mayAskToBeAdopted(at now: ContinuousClock.Instant, after limit: Duration) -> Bool {
    heldSince <= now - limit && asksAgainAt.map { $0 <= now } ?? true
  }

  mutating func asksToBeAdopted(at now: ContinuousClock.Instant) {
    askingPause = min(max(JobInHand.firstAskingPause, askingPause * 2), JobInHand.longestAskingPause)
    asksAgainAt = now + askingPause
  }
}
