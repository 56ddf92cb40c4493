/// What the coordinator has decided about a submission.
///
///     try await handle.accepted()
///     if let decision = handle.decision, !decision.willRun { print("nothing will run: \(decision)") }
public struct SubmissionDecision: Hashable, Sendable {
  /// The decision in one word.
  public enum Answer: String, Hashable, Sendable, CaseIterable, Codable {
    /// It is recorded as a new job.
    case accepted
    /// It is recorded as a new job, and has the key, or the name of the plan, that ``other`` had before.
    case replaced
    /// It is not recorded: ``other`` has the same id, or the same key of that kind, or is the run of that plan.
    case duplicate
  }

  /// The decision in one word.
  public let answer: Answer
  /// Of a duplicate: the job that counts, which has the submission's own id when that was used before. Of a
  /// replacement: the job that had the key before. Nil otherwise.
  public let other: JobID?
  /// The state of the job that counts when the decision was made; nil: it is not known, since the reply was lost.
  public let state: JobState?
  /// Of a duplicate: whether its content is that of the job that counts. Nil: it is not known any more, as after that
  /// job was removed from the ledger.
  public let isSameContent: Bool?
  /// Why the job that counts failed or was cancelled; nil: it did not.
  public let failure: JobFailure?

  /// A decision.
  package init(
    _ answer: Answer, other: JobID? = nil, state: JobState? = nil, isSameContent: Bool? = nil,
    failure: JobFailure? = nil
  ) {
    (self.answer, self.other, self.state) = (answer, other, state)
    (self.isSameContent, self.failure) = (isSameContent, failure)
  }

  /// Whether the work was done, or can still be done: false when the job that counts failed or was cancelled.
  public var willRun: Bool { state != .failed && state != .cancelled }
}

extension SubmissionDecision: CustomStringConvertible {
  /// The decision for people, in half a sentence.
  public var description: String { text(of: "job") }

  /// The same of what is no job, such as an event.
  package func text(of noun: String) -> String {
    switch answer {
    case .accepted: "accepted\(isInVain)"
    case .replaced: "accepted, and has what \(noun) \(name) had before\(isInVain)"
    case .duplicate: "a duplicate of \(noun) \(name)\(content)\(standing(after: "which"))"
    }
  }

  private var name: String { other?.description ?? "-" }

  private var content: String { isSameContent == false ? ", whose content differs" : "" }

  private var isInVain: String { willRun ? "" : standing(after: "and") }

  /// The state of the job as a clause that begins with the given word.
  private func standing(after word: String) -> String {
    guard let state else { return "" }
    let reason = failure.map { " (\($0))" } ?? ""
    return switch state {
    case .held, .queued, .running: ", \(word) is \(state)"
    case .succeeded, .failed: ", \(word) has \(state)\(reason)"
    case .cancelled: ", \(word) was cancelled\(reason)"
    }
  }
}

/// The part of a decision that a reply carries beside its type.
package struct DecidedPart: Hashable, Sendable {
  /// Of the job that counts. Nil: it is new, and has not ended.
  package var state: JobState?
  package var isSameContent: Bool?
  /// The same message came a second time.
  package var isAgain = false
  /// The job that had the key before.
  package var replaces: JobID?
  package var failure: JobFailure?

  package init(
    state: JobState? = nil, isSameContent: Bool? = nil, isAgain: Bool = false, replaces: JobID? = nil,
    failure: JobFailure? = nil
  ) {
    (self.state, self.isSameContent, self.isAgain) = (state, isSameContent, isAgain)
    (self.replaces, self.failure) = (replaces, failure)
  }

  /// It says nothing.
  package var isEmpty: Bool { self == DecidedPart() }
}
