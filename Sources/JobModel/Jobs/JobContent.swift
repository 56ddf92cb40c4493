/// What a job carries to its worker.
public struct JobContent: Hashable, Sendable {
  /// The payload's bytes, as they were submitted.
  public var payload: [UInt8]
  /// What kind of bytes they are, if the submitter said so.
  public var contentType: String?
  /// The trace that the job is part of.
  public var trace: TraceContext
  /// The submitter's own headers.
  public var headers: [String: String]

  package init(
    payload: [UInt8] = [], contentType: String? = nil, trace: TraceContext = TraceContext(),
    headers: [String: String] = [:]
  ) {
    self.payload = payload
    self.contentType = contentType
    self.trace = trace
    self.headers = headers
  }
}

/// Which job it is, as its notification says it.
package struct JobIdentity: Hashable, Sendable {
  package var id: JobID
  package var kind: JobKind
  package var department: Department
  /// The name of the plan's step, or of the event that it acts on; nil: it is of no plan.
  package var step: String?
  package var key: String?

  package init(id: JobID, kind: JobKind, department: Department, step: String? = nil, key: String? = nil) {
    self.id = id
    self.kind = kind
    self.department = department
    self.step = step
    self.key = key
  }
}

/// A place among the jobs that have to be started by a time.
package struct StartByPosition: Hashable, Sendable {
  package var startBy: Timestamp
  package var number: Int64

  package init(startBy: Timestamp, number: Int64) {
    self.startBy = startBy
    self.number = number
  }
}
