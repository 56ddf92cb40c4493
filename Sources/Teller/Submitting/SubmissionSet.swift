import AMQP
import JobModel
import JobTransport

/// The answer to a submission.
enum SubmissionAnswer: Hashable, Sendable {
  /// The broker has it, or the coordinator.
  case confirmed
  /// The submission may have arrived all the same. Nil: the broker said nothing of it.
  case notTaken(PublishResult?)
}

/// A task that submits.
struct SubmissionCall: Sendable {
  let submission: Submission
  let answer: OneShot<SubmissionAnswer>
}

/// Submissions of some tasks that leave together.
struct SubmissionSet: Sendable {
  let calls: [SubmissionCall]
  let packs: [SubmissionPacks.Pack]
  let sentAt = ContinuousClock.now

  init(_ calls: [SubmissionCall]) {
    self.calls = calls
    packs = SubmissionPacks.write(calls.lazy.map(\.submission))
  }

  /// Tells the tasks the broker's results of the messages.
  func answer(_ result: Result<[PublishResult], AMQPError>) {
    let results = zip((try? result.get()) ?? [], packs).flatMap { repeatElement($0, count: $1.count) }
    for (index, call) in calls.enumerated() {
      let result = index < results.count ? results[index] : nil
      call.answer.fulfil(.success(result == .confirmed ? .confirmed : .notTaken(result)))
    }
  }
}
