/// What the metrics of jobs are told apart by. Never by the job: a series for each job would fill every memory.
package struct JobLabels: Hashable, Sendable {
  package let department: Department
  package let kind: JobKind

  package init(_ kind: JobKind, in department: Department) { (self.kind, self.department) = (kind, department) }

  /// How many of them the metrics of one process tell apart; further ones count as ``other``. With their histograms they
  /// have fewer lines than `PrometheusMetrics` keeps.
  package static let limit = 150
  /// What these jobs count as beyond the limit: all further kinds of the department.
  package var other: JobLabels { JobLabels("other", in: department) }

  /// As swift-metrics takes them.
  package var dimensions: [(String, String)] { [("department", department.name), ("kind", kind.name)] }
}

extension Department {
  /// The label of a metric that tells departments apart, as swift-metrics takes it.
  package var dimensions: [(String, String)] { [("department", name)] }
}
