package import JobModel
package import JobTransport

extension TellerClient {
  /// The state of the coordinator, the departments and the workers.
  ///
  /// - Throws: `TellerError`, or `CancellationError`; so do all questions.
  package func status() async throws -> StatusDocument {
    try await core.ask(.status)
  }

  /// A page of jobs, newest first.
  package func jobs(_ query: JobsQuery) async throws -> JobsDocument {
    try await core.ask(.jobs(query))
  }

  /// One job with its attempts.
  package func show(_ id: JobID) async throws -> JobDocument {
    try await about(id) { try await core.ask(.show(id)) }
  }

  /// Why a job is where it is.
  package func explanation(of id: JobID) async throws -> ExplainDocument {
    try await about(id) { try await core.ask(.explain(id)) }
  }

  /// A summary of jobs that have ended.
  package func report(_ query: ReportQuery) async throws -> ReportDocument {
    try await core.ask(.report(query))
  }

  /// The progress of a command about many jobs.
  package func operationDocument(_ id: Int64) async throws -> OperationDocument {
    try await core.ask(.operation(id))
  }

  /// The coordinator's answer about one job. When the coordinator does not know the job, the error has its own case.
  func about<Document>(_ id: JobID, _ ask: () async throws -> Document) async throws -> Document {
    do {
      return try await ask()
    } catch TellerError.refused(let failure) where failure.code == JobFailure.jobNotFound(id).code {
      throw TellerError.unknownJob(id)
    }
  }

  /// Asks for the outcomes of jobs. The coordinator answers as soon as all jobs have ended, or the limit has passed.
  ///
  /// - Parameters:
  ///   - ids: at most 1,000.
  ///   - limit: how long the coordinator may wait for the jobs, at most 30 s.
  ///   - patience: how long the answer may take in all; nil: `timeouts.request` more than the limit.
  /// - Returns: the jobs that have ended with their outcomes, and the ids of the others.
  /// - Throws: `TellerError`, or `CancellationError`. A coordinator with too many open requests is asked again within
  ///   `patience`; then the error is `TellerError.refused` with the code `busy`.
  package func outcomes(
    of ids: [JobID], limit: Duration, patience: Duration? = nil
  ) async throws -> WaitDocument {
    let patience = patience ?? core.timeouts.request + limit
    let deadline = ContinuousClock.now + patience
    var backOff = BackOff.resending
    while true {
      do {
        return try await core.ask(.wait(WaitQuery(ids: ids, limit: limit)), within: patience)
      } catch TellerError.refused(let failure) where failure.code == JobFailure.busyCode {
        if ContinuousClock.now >= deadline { throw TellerError.refused(failure) }
        try await Teller.pause(for: backOff.next())
      }
    }
  }
}
