import JobModel

/// A name that at most one job, or run of a plan of `teller.yaml`, has at a time. A later submission under it is a
/// duplicate, which the coordinator does not record.
enum SharedName: Hashable, Sendable {
  case key(JobKey)
  case plan(PlanName)
}
