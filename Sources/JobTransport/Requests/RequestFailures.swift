package import JobModel

/// Why a question is answered with an error: the codes are public and change only with a version.
extension JobFailure {
  /// The question has a known type, and its body is wrong.
  package static func badRequest(_ problem: String) -> JobFailure {
    JobFailure(code: Code.badRequest, message: "the request cannot be answered: \(problem)")
  }

  /// The question's type is unknown here, or belongs into the other mailbox.
  package static func unknownRequest(_ type: String?, known: [String]) -> JobFailure {
    let found = type.map { "type \(Excerpt.quoted($0)) is not known here" } ?? "the property type is missing"
    let choice = known.dropLast().joined(separator: ", ") + " or " + (known.last ?? "")
    return JobFailure(code: Code.unknownRequest, message: "\(found): ask for \(choice)")
  }

  /// The ledger has no job with that id.
  package static func jobNotFound(_ id: JobID) -> JobFailure {
    JobFailure(code: Code.notFound, message: "the ledger has no job \(id); was it submitted, and to this broker?")
  }

  /// The ledger has no operation with that number.
  package static func operationNotFound(_ id: Int64) -> JobFailure {
    JobFailure(
      code: Code.notFound, message: "the ledger has no operation \(id); operations that ended long ago are removed")
  }
}
