import ArgumentParser
import JobModel
import Teller

/// The options that select events. An event passes when it passes every option that was given.
struct EventFilterOptions: ParsableArguments {
  /// How many jobs, or keys, one watch may name.
  static let mostNames = 1_000

  @Option(name: .shortAndLong, parsing: .upToNextOption, help: "Only jobs of these departments.")
  var department: [Department] = []

  @Option(name: .shortAndLong, parsing: .upToNextOption, help: "Only jobs of these kinds.")
  var kind: [JobKind] = []

  @Option(parsing: .upToNextOption, help: "Only these jobs, at most \(EventFilterOptions.mostNames).")
  var job: [JobID] = []

  @Option(parsing: .upToNextOption, help: "Only these plans, their steps and events.")
  var plan: [PlanName] = []

  @Option(parsing: .upToNextOption, help: "Only jobs with these keys, at most \(EventFilterOptions.mostNames).")
  var key: [String] = []

  @Option(
    parsing: .upToNextOption, help: "Only these events: \(EventFilterOptions.names.joined(separator: ", ")).",
    completion: .list(EventFilterOptions.names))
  var event: [String] = []

  private static let names = Teller.JobEvent.Change.names

  func validate() throws {
    for (count, what) in [(job.count, "jobs"), (key.count, "keys")] where count > EventFilterOptions.mostNames {
      throw ValidationError("At most \(EventFilterOptions.mostNames) \(what).")
    }
    for name in event where !EventFilterOptions.names.contains(name) {
      let known = "the events are \(EventFilterOptions.names.joined(separator: ", "))"
      let meant = Suggestion.nearest(to: name, in: EventFilterOptions.names).map { "did you mean \($0)?" }
      throw ValidationError("There is no event \"\(name.onOneLine)\": \(meant ?? known)")
    }
  }

  var filter: EventFilter {
    EventFilter(
      events: Set(event), departments: Set(department), kinds: Set(kind), jobs: Set(job), plans: Set(plan),
      keys: Set(key.map { ExactText($0) }))
  }
}
