import ArgumentParser
import Foundation
import Teller

/// The filters that the lists of jobs have in common.
struct JobFilterOptions: ParsableArguments {
  @Option(name: .shortAndLong, help: "Only jobs of this department.")
  var department: Department?

  @Option(name: .shortAndLong, help: "Only jobs of this kind.")
  var kind: JobKind?

  @Option(
    help: ArgumentHelp(
      "Only jobs that were accepted at this time or later. 2h is two hours ago.", valueName: momentName))
  var since: SinceArgument?

  @Option(
    help: ArgumentHelp("Only jobs that were accepted before this time. 2h is two hours ago.", valueName: momentName))
  var until: SinceArgument?

  @Option(help: ArgumentHelp("Only failed jobs with this error code, such as timeout.", valueName: "code"))
  var error: String?

  static let momentName = "2h|\(Timestamp.argumentName)"

  /// The query for these jobs. "2h" is so long before `now`.
  func query(now: Timestamp) -> JobQuery {
    JobQuery(
      department: department, kind: kind, since: since?.moment(now: now).date, until: until?.moment(now: now).date,
      error: error)
  }

  /// The options for the same jobs at any later time: "2h" is a moment.
  func given(now: Timestamp) -> GivenOptions {
    let moment = { (argument: SinceArgument?) in argument.map { Moments.iso($0.moment(now: now).date) } }
    return [
      ("--department", department?.name), ("--kind", kind?.name), ("--since", moment(since)),
      ("--until", moment(until)), ("--error", error),
    ]
  }
}

extension JobQuery {
  /// - Throws: `ValidationError` when the options exclude each other.
  func validate() throws {
    if let problem { throw ValidationError("\(problem).") }
  }
}
