import Teller

/// Jobs that the broker has safely, until they are accepted, or have their outcomes.
struct SubmittedPortion: Sendable {
  /// A job with its line.
  struct Job: Sendable {
    var line: Int?
    var handle: JobHandle<JSONValue>
  }

  let jobs: [Job]
  /// Whether outcomes are waited for, too.
  let waits: Bool
  let printer: SubmissionPrinter

  /// Waits for all jobs at once, and prints in their order what becomes of them. Waits one after the other would cost a
  /// timeout for each job that the coordinator does not know any more.
  ///
  /// When one wait is in vain, the others would be, too: they end with what is known by then.
  ///
  /// - Parameter patience: How long to wait for the first reply; nil: as long as a coordinator answers.
  /// - Returns: The totals; `submitted` is 0.
  func follow(patience: Duration?) async -> SubmissionTotals {
    var account = PortionAccount(self)
    await withTaskGroup(of: Step.self) { group in
      for (index, job) in jobs.enumerated() {
        let limit = index == 0 ? patience : nil
        group.addTask { Step(index, .acceptance, await end(of: { try await job.handle.accepted(timeout: limit) })) }
      }
      while let step = await group.next() {
        let handle = jobs[step.index].handle
        if step.stage == .acceptance, waits, case .success = handle.known.acceptance {
          group.addTask { Step(step.index, .outcome, await end(of: { _ = try await handle.outcome() })) }
          account.heard(step.index, outcome: nil)
        } else {
          account.heard(step.index, outcome: step.stage == .outcome ? step.end : .inVain)
        }
        // The cancelled waits still end with what is known.
        if step.end == .inVain { group.cancelAll() }
      }
    }
    return account.totals
  }

  /// The end of a wait.
  enum End: Sendable {
    /// There was an answer, perhaps a rejection.
    case answered
    /// The coordinator does not know this job.
    case unknown
    case inVain
  }

  /// A wait that has ended.
  private struct Step: Sendable {
    enum Stage: Sendable { case acceptance, outcome }

    let index: Int
    let stage: Stage
    let end: End

    init(_ index: Int, _ stage: Stage, _ end: End) {
      (self.index, self.stage, self.end) = (index, stage, end)
    }
  }

  private func end(of wait: () async throws -> Void) async -> End {
    do {
      try await wait()
      return .answered
    } catch TellerError.unknownJob {
      return .unknown
    } catch {
      return error is JobError ? .answered : .inVain
    }
  }
}

/// What is known of a portion's jobs. Waits end in any order, and the lines about jobs are printed in the jobs' order.
private struct PortionAccount {
  private let portion: SubmittedPortion
  private(set) var totals = SubmissionTotals()
  private var isHeard: [Bool]
  private var ends: [SubmittedPortion.End?]
  private var isAccepted: [Bool]
  /// How many of the first jobs have their line about the acceptance, and about the outcome.
  private var toldAcceptances = 0
  private var toldOutcomes = 0

  init(_ portion: SubmittedPortion) {
    self.portion = portion
    isHeard = Array(repeating: false, count: portion.jobs.count)
    ends = Array(repeating: nil, count: portion.jobs.count)
    isAccepted = isHeard
  }

  /// Notes that the wait for a job's acceptance has ended. `outcome`: the end of the wait for its outcome; nil while
  /// that goes on.
  mutating func heard(_ index: Int, outcome: SubmittedPortion.End?) {
    isHeard[index] = true
    if let outcome { ends[index] = outcome }
    tell()
  }

  private mutating func tell() {
    while toldAcceptances < isHeard.count, isHeard[toldAcceptances] {
      isAccepted[toldAcceptances] = countAcceptance(of: portion.jobs[toldAcceptances])
      toldAcceptances += 1
    }
    while portion.waits, toldOutcomes < toldAcceptances, let end = ends[toldOutcomes] {
      if isAccepted[toldOutcomes] { countOutcome(of: portion.jobs[toldOutcomes], isUnknown: end == .unknown) }
      toldOutcomes += 1
    }
  }

  /// - Returns: Whether the job was accepted.
  private mutating func countAcceptance(of job: SubmittedPortion.Job) -> Bool {
    switch job.handle.known.acceptance {
    case nil:
      totals.notYetAccepted += 1
      portion.printer.notYetAccepted(job.handle.id, line: job.line)
      return false
    case .failure(let rejection):
      totals.rejected += 1
      portion.printer.rejected(job.handle.id, line: job.line, rejection)
      return false
    case .success:
      totals.accepted += 1
      portion.printer.accepted(job.handle.id, line: job.line, duplicateOf: job.handle.duplicateOf)
      return true
    }
  }

  private mutating func countOutcome(of job: SubmittedPortion.Job, isUnknown: Bool) {
    if let outcome = job.handle.known.outcome {
      totals.count(outcome)
      portion.printer.ended(job.handle.id, line: job.line, outcome, duplicateOf: job.handle.duplicateOf)
    } else if isUnknown {
      totals.unknown += 1
      portion.printer.unknown(job.handle.id, line: job.line)
    } else {
      totals.outcomeUnknown += 1
      portion.printer.outcomeUnknown(job.handle.id, line: job.line)
    }
  }
}
