import Decisions
import JobModel

/// A release in the worker's hands. A class, and the loop's alone: too large to be copied at every step of its job.
final class JobInHand {
  /// Without its payload once the job runs: the handler has the payload. A granted claim gives it another token and attempt.
  var assignment: Assignment
  /// Why the assignment cannot be run; nil: it was read.
  let problem: String?
  /// The department of its teller.
  let department: Department
  /// When the release was delivered first, perhaps on an earlier connection.
  var heldSince = ContinuousClock.now
  /// When the worker may ask again to have the job adopted; nil: the worker has not asked yet.
  var asksAgainAt: ContinuousClock.Instant?
  /// The pause before the last question.
  var askingPause: Duration = .zero
  /// Nil while the release is claimed or dropped.
  var run: RunControl?
  var startedAt: ContinuousClock.Instant?
  /// Runs once the handler is to end, until the handler has ended or is reported as stuck.
  var grace: Task<Void, Never>?
  /// Whether the watches need not be told that the job runs: they were told, or the job has ended.
  var isAnnounced = false
  /// The waits of its handler for other jobs; nil: the handler has never waited.
  var waits: RunWaits?

  init(assignment: Assignment, problem: String? = nil, department: Department) {
    self.assignment = assignment
    self.problem = problem
    self.department = department
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

  func asksToBeAdopted(at now: ContinuousClock.Instant) {
    askingPause = min(max(JobInHand.firstAskingPause, askingPause * 2), JobInHand.longestAskingPause)
    asksAgainAt = now + askingPause
  }
}

/// Why a worker ends by itself.
enum WorkerEnd: Sendable {
  /// The worker was told to drain, and nothing is left.
  case drained
  /// The worker cannot go on.
  case failed(WorkerError)
  /// A second signal came: nothing is waited for.
  case secondSignal
}
