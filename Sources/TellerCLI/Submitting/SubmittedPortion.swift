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

  /// Waits for all jobs at once, and tells in their order what becomes of them. One after the other, each job that
  /// nobody knows any more would cost a wait of its own.
  ///
  /// When nobody answers one wait, nobody would answer the others: of the rest counts what is known by then.
  ///
  /// - Parameter patience: How long to wait for the first answer; nil: as long as a coordinator answers.
  /// - Returns: What became of them; nothing of it counts as submitted.
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
        // What is known is told to those who are cancelled, too.
        if step.end == .inVain { group.cancelAll() }
      }
    }
    return account.totals
  }

  /// How a wait ends.
  enum End: Sendable {
    /// With an answer; a rejection is one.
    case answered
    /// With one that is about this job alone: the coordinator does not know it.
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
      return error is JobFailure ? .answered : .inVain
    }
  }
}

/// What is known of a portion's jobs: waits end in any order, and jobs are told of in their own.
private struct PortionAccount {
  private let portion: SubmittedPortion
  private(set) var totals = SubmissionTotals()
  private var isHeard: [Bool]
  private var ends: [SubmittedPortion.End?]
  private var isAccepted: [Bool]
  /// How many of the first jobs were told of, and the same of their outcomes.
  private var toldAcceptances = 0
  private var toldOutcomes = 0

  init(_ portion: SubmittedPortion) {
    self.portion = portion
    isHeard = Array(repeating: false, count: portion.jobs.count)
    ends = Array(repeating: nil, count: portion.jobs.count)
    isAccepted = isHeard
  }

  /// Nobody waits for the job's acceptance any more.
  ///
  /// - Parameters:
  ///   - index: The job's.
  ///   - outcome: How the wait for its outcome ended; nil while there is one.
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

  /// - Returns: Whether it was accepted.
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
