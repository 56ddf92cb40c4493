import Teller

/// Jobs that the broker has safely, on their way to being accepted, or to their outcomes.
struct SubmittedPortion: Sendable {
  /// One of them, with the line it came from.
  struct Job: Sendable {
    var line: Int?
    var handle: JobHandle<JSONValue>
  }

  let jobs: [Job]
  /// Whether outcomes are waited for, too.
  let waits: Bool
  let printer: SubmissionPrinter

  /// Waits for the jobs, one after the other, and tells what becomes of them.
  ///
  /// When one wait was in vain, the others would be, too: of the rest counts what is known by then.
  ///
  /// - Parameter patience: How long to wait for the first answer; nil: as long as a coordinator answers.
  /// - Returns: What became of them; nothing of it counts as submitted.
  func follow(patience: Duration?) async -> SubmissionTotals {
    var totals = SubmissionTotals()
    var isInVain = false
    for (index, job) in jobs.enumerated() {
      if !isInVain {
        isInVain = await end(of: { try await job.handle.accepted(timeout: index == 0 ? patience : nil) }) == .inVain
      }
      countAcceptance(of: job, in: &totals)
      guard waits, case .success = job.handle.known.acceptance else { continue }
      let outcome: End = isInVain ? .inVain : await end(of: { _ = try await job.handle.outcome() })
      isInVain = outcome == .inVain
      countOutcome(of: job, isUnknown: outcome == .unknown, in: &totals)
    }
    return totals
  }

  /// How a wait ends.
  private enum End {
    /// With an answer; a rejection is one.
    case answered
    /// With one that is about this job alone: the coordinator does not know it.
    case unknown
    case inVain
  }

  private func end(of wait: () async throws -> Void) async -> End {
    do {
      try await wait()
      return .answered
    } catch TellerError.unknownJob {
      return .unknown
    } catch {
      return error is JobFailure ? .answered : .inVain
    }
  }

  private func countAcceptance(of job: Job, in totals: inout SubmissionTotals) {
    switch job.handle.known.acceptance {
    case nil:
      totals.notYetAccepted += 1
      printer.notYetAccepted(job.handle.id, line: job.line)
    case .failure(let rejection):
      totals.rejected += 1
      printer.rejected(job.handle.id, line: job.line, rejection)
    case .success:
      totals.accepted += 1
      printer.accepted(job.handle.id, line: job.line, original: job.handle.original)
    }
  }

  private func countOutcome(of job: Job, isUnknown: Bool, in totals: inout SubmissionTotals) {
    if let outcome = job.handle.known.outcome {
      totals.count(outcome)
      printer.ended(job.handle.id, line: job.line, outcome, original: job.handle.original)
    } else if isUnknown {
      totals.unknown += 1
      printer.unknown(job.handle.id, line: job.line)
    } else {
      totals.outcomeUnknown += 1
      printer.outcomeUnknown(job.handle.id, line: job.line)
    }
  }
}
