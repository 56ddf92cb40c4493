/// What the metrics of jobs are told apart by. Never by the job: a series for each job would fill every memory.
package struct JobLabels: Hashable, Sendable {
  package let department: Department
  package let kind: JobKind

  package init(_ kind: JobKind, in department: Department) { (self.kind, self.department) = (kind, department) }

  /// How many of them the metrics of one process tell apart that nobody has named: a kind can be anything that somebody
  /// submits. Further ones count as ``other``.
  package static let limit = 50
  /// The same of kinds that the configuration or a worker names. With their histograms all have fewer lines than
  /// `PrometheusMetrics` keeps.
  package static let namedLimit = 1_000
  /// What these jobs count as beyond the limit: all further kinds of the department.
  package var other: JobLabels { JobLabels("other", in: department) }

  /// As swift-metrics takes them.
  package var dimensions: [(String, String)] { [("department", department.name), ("kind", kind.name)] }
}

/// The metrics of jobs by their labels, each made once. However many kinds are made up, a kind that somebody has named keeps
/// its own. A pure value.
package struct LabelledMetrics<Metrics> {
  private var all: [JobLabels: Metrics] = [:]
  private var named = 0
  private var unnamed = 0

  package init() {}

  /// The metrics of those labels, or of all that come beyond the limit. `isNamed` is asked about what is new.
  package mutating func of(
    _ labels: JobLabels, isNamed: @autoclosure () -> Bool, _ make: (JobLabels) -> Metrics
  ) -> Metrics {
    if let known = all[labels] { return known }
    let kept = takesPlace(isNamed: isNamed()) ? labels : labels.other
    if let known = all[kept] { return known }
    let made = make(kept)
    all[kept] = made
    return made
  }

  private mutating func takesPlace(isNamed: Bool) -> Bool {
    guard isNamed ? named < JobLabels.namedLimit : unnamed < JobLabels.limit else { return false }
    if isNamed { named += 1 } else { unnamed += 1 }
    return true
  }
}

extension LabelledMetrics: Sendable where Metrics: Sendable {}

extension Department {
  /// The label of a metric that tells departments apart, as swift-metrics takes it.
  package var dimensions: [(String, String)] { [("department", name)] }
}
