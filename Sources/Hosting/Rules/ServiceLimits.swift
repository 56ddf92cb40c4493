/// How long a host waits for its services, and how much waits for a service. A pure value.
package struct ServiceLimits: Hashable, Sendable {
  /// How long a service, and all of them together, may hold up the start of the host.
  package var start = StepLimit(each: .seconds(5), all: .seconds(15))
  /// How long a service, and all of them together, may hold up the end of the host.
  package var stop = StepLimit(each: .seconds(5), all: .seconds(15))
  /// How much of the time for its stop a service has that was cut short: for what is left of the life cycle.
  package var lastCalls: Duration = .seconds(1)
  /// After how long a call that has not ended is reported.
  package var hanging: Duration = .seconds(10)
  /// How often the host looks for calls that have not ended.
  package var look: Duration = .seconds(1)
  /// How long a call about a job waits at most for further ones, so that they are told together.
  package var gathering: Duration = .milliseconds(10)
  /// The most calls about jobs that wait for a service. Further ones replace the oldest: late news of a job is worth less
  /// than new news, and a service that has caught up is to know the present.
  package var jobs = 1_000
  /// The most events that wait for a service. They do not share the room of the jobs: an event is worth more than a job.
  package var events = 1_000
  /// The most calls of the life cycle that wait for a service. Beyond, a pause and its end are both left out: the present
  /// state is what matters. Large enough for one of each call beside two pauses.
  package var lifeCalls = 16

  package init() {}

  /// The fewest calls of the life cycle that can be kept: one of each, and a pause with its end.
  package static let fewestLifeCalls = 8
}

/// The time for a step that services take one after the other.
package struct StepLimit: Hashable, Sendable {
  package var each: Duration
  package var all: Duration

  package init(each: Duration, all: Duration) { (self.each, self.all) = (each, all) }

  /// How long the next of so many services may take, after so much time of the step. No service can take the time of those
  /// that come after it: each has at least its equal share, and what one leaves is for the others.
  package func share(after spent: Duration, left services: Int) -> Duration {
    min(each, max(.zero, all - spent) / max(1, services))
  }
}

extension ServiceLimits {
  /// How the share of a service in the stop is used: first for everything that waits, then, when that was not enough, for
  /// what is left of the life cycle. A host that ends at once lets nothing else be told.
  package func stopping(within share: Duration, atOnce: Bool) -> (all: Duration, last: Duration) {
    let last = min(lastCalls, share / 2)
    return (atOnce ? .zero : share - last, last)
  }
}
