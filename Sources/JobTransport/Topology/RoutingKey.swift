package import JobModel

extension Topology {
  /// The routing keys that are not a queue's name.
  package enum RoutingKey {
    /// Submissions: both their exchanges are a fanout, and read no key.
    package static let submit = ""
    /// Everything for the queue of reports.
    package static let reports = "teller.reports"
    /// Reports that come ahead of their durable messages, in `teller.presence`.
    package static let earlyReports = "early"
    /// Control messages for every worker.
    package static let allWorkers = "all"
    /// Recorded notifications, which the stream keeps.
    package static let log = "log"
    /// Notifications that are only relayed to watches.
    package static let live = "live"
    /// Changes of jobs that are only relayed to watches that ask for them.
    package static func live(_ event: LiveEvent) -> String { event.rawValue }
    /// The progress of every job, for a binding.
    package static let anyProgress = "progress.#"
    /// The progress of a job.
    package static func progress(of job: JobID) -> String { "progress.\(job)" }

    /// Assignments of a department, or of one of its kinds. No name has a dot.
    package static func assignments(to queue: JobQueue) -> String {
      queue.kind.map { "\(queue.department).\($0)" } ?? queue.department.name
    }
    /// The queue of a key of ``assignments(to:)``; nil for another key.
    package static func queue(ofAssignments key: String) -> JobQueue? {
      let words = key.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
      guard let department = Department(words[0]) else { return nil }
      if words.count == 1 { return JobQueue(department) }
      return JobKind(words[1]).map { JobQueue(department, kind: $0) }
    }
    /// Control messages for the workers of a department.
    package static func workers(of department: Department) -> String { "department.\(department)" }
    /// Control messages for one worker.
    package static func worker(_ worker: WorkerID) -> String { "worker.\(worker)" }
  }
}
