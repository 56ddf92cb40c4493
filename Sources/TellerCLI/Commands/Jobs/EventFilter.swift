import ArgumentParser
import JobModel
import Teller

/// The options that select events. An event passes when it passes every option that was given.
struct EventFilter: ParsableArguments {
  /// How many jobs one watch may name.
  static let mostJobs = 1_000

  @Option(name: .shortAndLong, help: "Only jobs of this department.")
  var department: Department?

  @Option(name: .shortAndLong, help: "Only jobs of this kind.")
  var kind: JobKind?

  @Option(parsing: .upToNextOption, help: "Only these jobs, at most \(EventFilter.mostJobs).")
  var job: [JobID] = []

  @Option(
    parsing: .upToNextOption, help: "Only these events: \(EventFilter.names.joined(separator: ", ")).",
    completion: .list(EventFilter.names))
  var event: [String] = []

  private static let names = [Teller.JobEvent.Change.started, .succeeded, .failed, .cancelled].map(\.name)

  func validate() throws {
    if job.count > EventFilter.mostJobs { throw ValidationError("At most \(EventFilter.mostJobs) jobs.") }
    for name in event where !EventFilter.names.contains(name) {
      let known = "the events are \(EventFilter.names.joined(separator: ", "))"
      let meant = Suggestion.nearest(to: name, in: EventFilter.names).map { "did you mean \($0)?" }
      throw ValidationError("There is no event \"\(name.onOneLine)\": \(meant ?? known)")
    }
  }

  func admits(_ event: Teller.JobEvent) -> Bool {
    (department.map { $0 == event.department } ?? true) && (kind.map { $0 == event.kind } ?? true)
      && (job.isEmpty || job.contains(event.job)) && (self.event.isEmpty || self.event.contains(event.change.name))
  }
}
