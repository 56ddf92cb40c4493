import JobModel

/// The JSON body of the replies `accepted` and `duplicate`. A new job that has not ended has none.
///
///     {"state":"failed","content":"same","error":"too_late","message":"…"}
enum DecidedBody {
  private static let same = "same"
  private static let other = "different"

  private struct Document: Codable {
    var state: String?
    var content: String?
    var again: Bool?
    var replaces: JobID?
    var error: String?
    var message: String?
  }

  /// Nil: there is nothing to say.
  static func encode(_ decided: DecidedPart) -> [UInt8]? {
    if decided.isEmpty { return nil }
    return WireJSON.encodePlain(
      Document(
        state: decided.state?.rawValue, content: decided.isSameContent.map { $0 ? same : other },
        again: decided.isAgain ? true : nil, replaces: decided.replaces, error: decided.failure?.code,
        message: decided.failure?.message))
  }

  /// Nil: nothing is said, or nothing that this version understands. The reply counts all the same.
  static func decode(_ body: [UInt8]) -> DecidedPart? {
    guard !body.isEmpty, let document = try? WireJSON.decode(Document.self, from: body) else { return nil }
    let failure = document.error.map {
      JobFailure(code: $0, message: document.message ?? "").shortened(to: JobFailure.longestMessage)
    }
    return DecidedPart(
      state: document.state.flatMap(JobState.init(rawValue:)), isSameContent: document.content.map { $0 == same },
      isAgain: document.again ?? false, replaces: document.replaces, failure: failure)
  }
}
