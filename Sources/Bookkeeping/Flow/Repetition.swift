import Decisions
import JobModel
import JobTransport
import Ledger

/// What is decided about a submission whose id, or whose key, was used before.
///
/// The content of a job is its kind, its payload byte for byte, its key, and its department where the submission names
/// one. When and how often it runs, its headers and its trace are not part of it: who sends a job again after a lost
/// connection may have others by then.
struct Repetition {
  let submission: Submission
  /// The job that counts.
  let known: Job
  private let ledger: LedgerTransaction

  init(_ submission: Submission, _ known: Job, _ ledger: LedgerTransaction) {
    (self.submission, self.known, self.ledger) = (submission, known, ledger)
  }

  /// What the reply says.
  ///
  /// - Throws: `Rejection`, when the same id was used with other content.
  func decided(isRunning: Bool) throws -> DecidedPart {
    let isSameID = known.id == submission.id
    if isSameID, let difference = try difference() { throw Rejection(idConflict: "job", difference, submission) }
    let isAgain = isSameID && known.submittedAt != nil && known.submittedAt == submission.submittedAt
    return DecidedPart(
      state: isRunning ? .running : known.progress.state, isSameContent: try isSamePayload(), isAgain: isAgain,
      failure: known.outcome?.failure)
  }

  /// What the job with the submission's id has that the submission has not; nil: nothing, or nothing is known of it.
  private func difference() throws -> String? {
    // The row was removed, and only the key knows the job.
    if known.number == 0 { return nil }
    if known.plan != nil { return "that one is a job of a plan" }
    if known.kind != submission.kind { return "that one is of kind \"\(known.kind)\"" }
    if let named = submission.department, named != known.department {
      return "that one is for department \"\(known.department)\""
    }
    if !(known.key ?? "").utf8.elementsEqual((submission.key?.text ?? "").utf8) { return "that one has another key" }
    return try isSamePayload() == false ? "that one has another payload" : nil
  }

  /// Nil: the job's payload is not known any more.
  private func isSamePayload() throws -> Bool? {
    guard known.number != 0, let content = try ledger.content(of: known.number) else { return nil }
    return content.isSame(as: submission.content)
  }
}

extension JobContent {
  /// Whether both have the same payload, and say no different things about what bytes it is.
  func isSame(as other: JobContent) -> Bool {
    guard payload == other.payload else { return false }
    guard let type = contentType, let otherType = other.contentType else { return true }
    return type.isExactly(otherType)
  }
}

extension Rejection {
  private init(idConflict id: JobID, _ sort: String, _ difference: String, _ reply: ReplyAddress?) {
    let message =
      "the id \(id) was used for another \(sort) before, and \(difference): submit this one with an id of its own"
    self.init(
      JobFailure(code: JobFailure.Code.idConflict, message: message), reply: reply, messageID: id.description)
  }

  /// `other`: what has the id, such as an event.
  init(idTakenBy other: String, _ submission: Submission) {
    let message = "\(other) has the id \(submission.id): submit the job with another id"
    self.init(
      JobFailure(code: JobFailure.Code.idTaken, message: message), reply: submission.reply,
      messageID: submission.id.description)
  }

  init(idConflict sort: String, _ difference: String, _ submission: Submission) {
    self.init(idConflict: submission.id, sort, difference, submission.reply)
  }

  init(idConflict sort: String, _ difference: String, _ plan: PlanSubmission) {
    self.init(idConflict: plan.id, sort, difference, plan.reply)
  }

  init(idConflict sort: String, _ difference: String, _ event: EventSubmission) {
    self.init(idConflict: event.id, sort, difference, event.reply)
  }
}
