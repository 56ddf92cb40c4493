import JobModel

/// An event as `--json` prints it.
package struct EventLine: Encodable, Sendable {
  var event: String
  var job: JobID?
  var kind: JobKind?
  var department: Department?
  var attempt: Int?
  var atMs: Int64
  var epoch: Int?
  var seq: Int64?
  var offset: Int64?
  var startedAgoMs: Int64?
  var runMs: Int64?
  var error: JobFailure?
  var plan: PlanName?
  var name: String?
  var key: String?
  var retryAtMs: Int64?
  var progress: Double?
  var text: String?

  /// The event in words and numbers; what it does not have is left out.
  package init(_ event: JobEvent) {
    self.event = event.change.name
    job = event.job
    kind = event.kind
    department = event.department
    attempt = event.attempt
    atMs = Timestamp(event.at).milliseconds
    epoch = event.position?.epoch
    seq = event.position?.sequence
    offset = event.position?.offset
    startedAgoMs = event.startedAgo.map(\.milliseconds)
    runMs = event.ran.map(\.milliseconds)
    error = event.failure
    (plan, name, key) = (event.plan, event.name, event.key)
    retryAtMs = event.retryAt.map { Timestamp($0).milliseconds }
    (progress, text) = (event.progress?.fraction, event.progress?.text)
  }
}
