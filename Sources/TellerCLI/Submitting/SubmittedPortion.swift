import Teller

/// Jobs that the broker has safely, until they are accepted, or have their outcomes.
struct SubmittedPortion: Sendable {
  /// A job with its line.
  struct Job: Sendable {
    var line: Int?
    var handle: JobHandle<JSONValue>
  }

  let jobs: [Job]
  let printer: SubmissionPrinter
  /// Told of the jobs whose outcomes are waited for; nil: none are waited for.
  let gates: GateNotice?

  /// Waits for the jobs, and prints in their order what becomes of them: first of all the acceptances, then the outcomes.
  ///
  /// - Parameter patience: How long to wait for the first reply; nil: as long as a coordinator answers.
  /// - Returns: The totals; `submitted` is 0.
  func follow(patience: Duration?) async -> SubmissionTotals {
    var totals = SubmissionTotals()
    var accepted: [Job] = []
    let first = jobs.first?.handle.id
    let isInVain = await ends(of: jobs) { handle in
      try await handle.accepted(timeout: handle.id == first ? patience : nil)
    } tell: { job, end in
      if tellAcceptance(of: job, end, &totals) { accepted.append(job) }
    }
    guard let gates else { return totals }
    let waiting = accepted.map(\.handle)
    // Cancelled when all outcomes are there.
    async let _ = gates.look(at: waiting)
    let outcome = { @Sendable (handle: JobHandle<JSONValue>) in try await handle.outcome() }
    _ = await ends(of: accepted, isInVain: isInVain, outcome) { tellOutcome(of: $0, $1, &totals) }
    return totals
  }

  /// Waits for all jobs at once, and tells of each wait's end in the jobs' order. Waits one after the other would cost a
  /// timeout for each job that the coordinator does not know any more.
  ///
  /// When one wait is in vain, the others would be, too: they are cancelled, and end with what is known by then.
  ///
  /// - Returns: Whether a wait was in vain; `isInVain`: whether an earlier one was.
  private func ends<Value: Sendable>(
    of jobs: [Job], isInVain: Bool = false, _ wait: @escaping @Sendable (JobHandle<JSONValue>) async throws -> Value,
    tell: (Job, Result<Value, any Error>) -> Void
  ) async -> Bool {
    var isInVain = isInVain
    let waits = jobs.map { job in Task { try await wait(job.handle) } }
    return await withTaskCancellationHandler {
      for (job, wait) in zip(jobs, waits) {
        if isInVain { wait.cancel() }
        let end = await wait.result
        isInVain = isInVain || end.isInVain
        tell(job, end)
      }
      return isInVain
    } onCancel: {
      for wait in waits { wait.cancel() }
    }
  }

  /// - Returns: Whether the job was accepted.
  private func tellAcceptance(
    of job: Job, _ end: Result<Void, any Error>, _ totals: inout SubmissionTotals
  ) -> Bool {
    switch end {
    case .success:
      let decision = job.handle.decision ?? SubmissionDecision(.accepted)
      totals.count(decision, waits: gates != nil)
      printer.decided(job.handle.id, line: job.line, decision)
      return true
    case .failure(JobError.rejected(_, let rejection)):
      totals.rejected += 1
      printer.rejected(job.handle.id, line: job.line, rejection)
    case .failure:
      totals.notYetAccepted += 1
      printer.notYetAccepted(job.handle.id, line: job.line)
    }
    return false
  }

  private func tellOutcome(of job: Job, _ end: Result<Outcome, any Error>, _ totals: inout SubmissionTotals) {
    switch end {
    case .success(let outcome):
      totals.count(outcome)
      printer.ended(job.handle.id, line: job.line, outcome, duplicateOf: job.handle.duplicateOf)
    case .failure(TellerError.unknownJob):
      totals.unknown += 1
      printer.unknown(job.handle.id, line: job.line)
    case .failure:
      totals.outcomeUnknown += 1
      printer.outcomeUnknown(job.handle.id, line: job.line)
    }
  }
}

extension Result where Failure == any Error {
  /// Whether nobody has said anything about the job: neither that it is rejected, nor that it is not known.
  fileprivate var isInVain: Bool {
    guard case .failure(let error) = self, !(error is JobError) else { return false }
    if case TellerError.unknownJob = error { return false }
    return true
  }
}
