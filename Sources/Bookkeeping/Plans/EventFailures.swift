import Decisions
import JobModel

/// Why an event, or a choice about one, is not accepted.
extension JobFailure {
  static func unknownEvent(_ name: EventName, _ known: [EventName]) -> JobFailure {
    let names = Set(known.map(\.name)).sorted()
    let hint = Suggestion.question(for: name.name, in: names)
    let rest = names.isEmpty ? "" : "; there are: \(names.joined(separator: ", "))"
    return JobFailure(code: Code.unknownEvent, message: "no plan receives an event \"\(name)\"\(hint)\(rest)")
  }

  static func ambiguousEvent(_ name: EventName, _ plans: [PlanName]) -> JobFailure {
    let names = plans.map(\.name).sorted().joined(separator: ", ")
    return JobFailure(
      code: Code.badEvent, message: "several plans receive an event \"\(name)\": name one of them: \(names)")
  }

  static func unknownEvent(_ id: JobID) -> JobFailure {
    JobFailure(code: Code.unknownEvent, message: "there is no event \(id)")
  }

  static func dismissedBefore(_ id: JobID) -> JobFailure {
    JobFailure(code: Code.dismissed, message: "event \(id) was dismissed before: send it again with another id")
  }

  static func idTaken(byJob id: JobID) -> JobFailure {
    JobFailure(
      code: Code.idTaken, message: "a job has the id \(id), so that the event gets none: send it with another id")
  }

  /// The outcome of an event that nobody acts on.
  static func dismissed() -> JobFailure {
    JobFailure(code: Code.dismissed, message: "somebody dismissed the event: nothing is done")
  }
}
