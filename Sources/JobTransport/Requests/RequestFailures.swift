package import JobModel

/// Why a question is answered with an error: the codes are public and change only with a version.
extension JobFailure {
  /// A question that is of a known type and cannot be understood.
  package static func badRequest(_ problem: String) -> JobFailure {
    JobFailure(code: "bad_request", message: "the request cannot be answered: \(problem)")
  }

  /// A question of a type that this version does not know, or that belongs into the other mailbox.
  package static func unknownRequest(_ type: String?, known: [String]) -> JobFailure {
    let found = type.map { "type \(Excerpt.quoted($0)) is not known here" } ?? "the property type is missing"
    let choice = known.dropLast().joined(separator: ", ") + " or " + (known.last ?? "")
    return JobFailure(code: "unknown_request", message: "\(found): ask for \(choice)")
  }

  /// The code of the answer when too many requests are waiting already: ask again later.
  package static let busyCode = "busy"

  /// No job of that id is known to the ledger.
  package static func jobNotFound(_ id: JobID) -> JobFailure {
    JobFailure(code: "not_found", message: "the ledger has no job \(id); was it submitted, and to this broker?")
  }

  /// No command of that number is known to the ledger.
  package static func operationNotFound(_ id: Int64) -> JobFailure {
    JobFailure(code: "not_found", message: "the ledger has no operation \(id); was it given long ago?")
  }
}
