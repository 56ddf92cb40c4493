import AuditSupport
import JobModel
import Teller

/// What customers submit, in turn: jobs of every sort that the holds and the retries know. Which one the next is depends
/// on its number alone.
struct Load: Sendable {
  /// One thing that a customer does.
  struct Errand: Sendable {
    var submission: JobSubmission<JSONValue>
    var wanted = Wanted()
    /// Whether the customer takes the job back once it is accepted.
    var isCancelled = false
    /// Submitted once the first is accepted: what waits for it, or has the same key.
    var followers: [(submission: JobSubmission<JSONValue>, wanted: Wanted)] = []
  }

  /// After so many the sorts come again.
  static let round = 40
  /// Longer than it takes until a job is adopted by its worker.
  static let long = 2_600
  /// More than any fault takes away.
  static let attempts = 6

  let departments: [Department]

  func errand(_ number: Int) -> Errand {
    let ms = number % 4 * 80
    switch number % Load.round {
    case 4: return Errand(submission: job(number, ms: ms, more: #", "fails": 1"#))
    case 9: return failing(number, #", "permanent": true"#, attempts: Load.attempts)
    case 14: return delayed(number, by: .milliseconds(700))
    case 18: return keyed(number)
    case 22: return depended(on: Errand(submission: job(number, ms: 240)), .succeeded)
    case 26: return depended(on: failing(number, #", "permanent": true"#, attempts: 2), .failed)
    case 31: return cancelled(number)
    case 35: return failing(number, #", "fails": 2"#, attempts: 2)
    case 38: return Errand(submission: job(number, ms: Load.long))
    case 6, 20, 34: return aside(number, ms: ms)
    default: return Errand(submission: job(number, ms: ms))
    }
  }

  private func job(_ number: Int, ms: Int, more: String = "", attempts: Int = Load.attempts) -> JobSubmission<JSONValue>
  {
    JobSubmission(
      kind: "effect", payload: Array(#"{"timed": true, "ms": \#(ms)\#(more)}"#.utf8),
      department: departments[number % departments.count],
      priority: Priority((number + number / Load.round) % 10) ?? .normal,
      attempts: attempts)
  }

  /// One of a kind that not every worker has a handler for.
  private func aside(_ number: Int, ms: Int) -> Errand {
    var errand = Errand(submission: job(number, ms: ms))
    errand.submission.kind = "aside"
    return errand
  }

  private func failing(_ number: Int, _ how: String, attempts: Int) -> Errand {
    Errand(
      submission: job(number, ms: 0, more: how, attempts: attempts),
      wanted: Wanted(outcomes: [.failed], mayBeReplayed: true))
  }

  private func delayed(_ number: Int, by delay: Duration) -> Errand {
    var submission = job(number, ms: 0)
    submission.delay = delay
    return Errand(submission: submission, wanted: Wanted(delay: delay))
  }

  private func keyed(_ number: Int) -> Errand {
    let key = "key-\(number)"
    let both = [job(number, ms: 80), job(number, ms: 80)].map { submission in
      var submission = submission
      submission.key = key
      return submission
    }
    return Errand(submission: both[0], wanted: Wanted(key: key), followers: [(both[1], Wanted(key: key))])
  }

  /// One that runs only when the first has succeeded.
  private func depended(on first: Errand, _ outcome: JobState) -> Errand {
    var errand = first
    var submission = job(0, ms: 0)
    submission.department = first.submission.department
    submission.after = [first.submission.id]
    errand.wanted.mayBeReplayed = false
    errand.followers = [(submission, Wanted(outcomes: [outcome], after: first.submission.id))]
    return errand
  }

  private func cancelled(_ number: Int) -> Errand {
    var errand =
      number / Load.round % 2 == 0 ? delayed(number, by: .milliseconds(400)) : Errand(submission: job(number, ms: 320))
    errand.wanted.outcomes = [.succeeded, .cancelled]
    errand.isCancelled = true
    return errand
  }
}
