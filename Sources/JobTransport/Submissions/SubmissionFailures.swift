package import JobModel

/// Why a submission cannot be understood. The codes are public, and change only with a version.
extension JobFailure {
  package static func missingID() -> JobFailure {
    JobFailure(code: Code.missingID, message: "message_id is missing: choose a UUID for the job and set it")
  }

  package static func badID(_ text: String) -> JobFailure {
    JobFailure(code: Code.badID, message: "message_id \(Excerpt.quoted(text)) is not a UUID")
  }

  package static func missingKind() -> JobFailure {
    JobFailure(code: Code.missingKind, message: "the property type is missing: set it to the job's kind")
  }

  package static func badKind(_ text: String) -> JobFailure {
    JobFailure(
      code: Code.badKind, message: "type \(Excerpt.quoted(text)) is not a kind: 1–100 letters, digits, - and _")
  }

  package static func badPriority(_ octet: UInt8) -> JobFailure {
    JobFailure(code: Code.badPriority, message: "priority \(octet) is not between 0 and 9")
  }

  package static func badReplyTo(_ replyTo: String) -> JobFailure {
    JobFailure(
      code: Code.badReplyTo,
      message: "reply_to \(Excerpt.quoted(replyTo)) is not allowed: use a queue named teller.reply.… or direct reply-to"
    )
  }

  package static func bodyTooLarge(size: UInt64, limit: Int) -> JobFailure {
    JobFailure(
      code: Code.bodyTooLarge,
      message: "the body has \(size) bytes, and at most \(limit) are taken: put it elsewhere and submit where it is")
  }

  package static func badPlan(_ problem: String) -> JobFailure {
    JobFailure(code: Code.badPlan, message: "the plan cannot be accepted: \(problem)")
  }

  package static func badEvent(_ problem: String) -> JobFailure {
    JobFailure(code: Code.badEvent, message: "the event cannot be accepted: \(problem)")
  }

  static func badPayload(of event: EventSubmission, _ problem: String) -> JobFailure {
    JobFailure(
      code: Code.badEvent,
      message: "the payload of event \(event.name) (\(event.id)) is \(problem); \(remedyOfPayload)")
  }

  static func badPayload(of start: PlanStart, _ problem: String) -> JobFailure {
    JobFailure(
      code: Code.badPlan,
      message: "the payload for plan \(start.plan) (\(start.id)) is \(problem); \(remedyOfPayload)")
  }

  static func badPayload(of step: PlanStep, _ problem: String) -> JobFailure {
    let name = Excerpt.quoted(step.name)
    return badPlan("the payload of step \(name) is \(problem); \(remedyOfPayload)")
  }

  private static var remedyOfPayload: String {
    "give one JSON value, such as a text that holds the bytes, or leave the payload empty"
  }

  package static func badPack(_ problem: String) -> JobFailure {
    JobFailure(code: Code.badPack, message: problem)
  }

  package static func badHeaders(_ problems: [String]) -> JobFailure {
    JobFailure(
      code: Code.badHeaders, message: "the properties cannot be read: \(problems.prefix(8).joined(separator: "; "))")
  }

  package static func notSupported(header name: String, reason: String) -> JobFailure {
    JobFailure(code: Code.notSupported, message: "header \(Excerpt.plain(name)) is not supported: \(reason)")
  }
}

extension HeaderReader {
  /// Reads headers of a submission. A problem with one becomes a failure with this code.
  func read<Value>(
    orFail code: String, _ read: (HeaderReader) throws(HeaderProblem) -> Value
  ) throws(JobFailure) -> Value {
    do throws(HeaderProblem) {
      return try read(self)
    } catch {
      throw JobFailure(code: code, message: error.description)
    }
  }
}
