import JobTransport
import Teller

/// Submits the jobs of a source, in their order. While some portions wait to be accepted, the next ones are sent.
struct SubmissionPipeline: Sendable {
  /// How many jobs are sent at once.
  static let portion = 1_000
  /// How many portions may wait to be accepted, or for their outcomes.
  static let portionsUnderWay = 8
  /// How long a portion waits for its first reply when the last portion was not accepted in time.
  static let patienceInDoubt: Duration = .seconds(2)

  let client: TellerClient
  /// How long the coordinator may be silent.
  let limit: Duration
  let printer: SubmissionPrinter
  /// Nil: outcomes are not waited for.
  private let gates: GateNotice?

  init(client: TellerClient, waits: Bool, limit: Duration, printer: SubmissionPrinter) {
    (self.client, self.limit, self.printer) = (client, limit, printer)
    gates = waits ? GateNotice(client: client) : nil
  }

  /// Submits all jobs. Returns the totals, and the error that ended the run early, if there was one.
  func run(_ source: some SubmissionSource) async -> (totals: SubmissionTotals, error: (any Error)?) {
    var totals = SubmissionTotals()
    var problem: (any Error)?
    let start = ContinuousClock.now
    await withTaskGroup(of: SubmissionTotals.self) { group in
      do {
        try await feed(source, to: &group, totals: &totals)
      } catch {
        problem = error
      }
      for await part in group { totals += part }
    }
    totals.took(start.duration(to: .now))
    return (totals, problem)
  }

  private func feed(
    _ source: some SubmissionSource, to group: inout TaskGroup<SubmissionTotals>, totals: inout SubmissionTotals
  ) async throws {
    var source = source
    var underWay = 0
    var isInDoubt = false
    while let items = try await source.next() {
      totals.badLines += tellOfBadLines(items)
      for portion in items.jobs.pieces(of: SubmissionPipeline.portion) {
        if underWay == SubmissionPipeline.portionsUnderWay, let part = await group.next() {
          underWay -= 1
          totals += part
          isInDoubt = part.isInDoubt
        }
        // No portion begins after an interruption: a portion that is being sent cannot be stopped.
        try Task.checkCancellation()
        let sent = try await send(Array(portion), totals: &totals)
        totals.submitted += sent.jobs.count
        underWay += 1
        // After a portion in doubt the next one is submitted all the same, with a shorter wait.
        let patience = isInDoubt ? min(limit, SubmissionPipeline.patienceInDoubt) : nil
        group.addTask { await sent.follow(patience: patience) }
      }
    }
  }

  private func tellOfBadLines(_ items: [SourceItem]) -> Int {
    items.count { item in
      guard case .badLine(let line, let problem) = item else { return false }
      printer.badLine(line, problem)
      return true
    }
  }

  private func send(_ jobs: [SourceItem.Job], totals: inout SubmissionTotals) async throws -> SubmittedPortion {
    let submissions = jobs.map { job in
      var submission = job.submission
      submission.replies = gates == nil ? .acceptance : .outcome
      return submission
    }
    let handles: [JobHandle<JSONValue>]
    do {
      handles = try await client.submit(contentsOf: submissions)
    } catch TellerError.incomplete(let confirmed, _, .messageRefused(let reason)) {
      // The broker takes all others.
      guard let line = jobs[confirmed].line else { throw Failure(TellerError.messageRefused(reason: reason)) }
      printer.badLine(line, TellerError.messageRefused(reason: reason).description)
      totals.badLines += 1
      return try await send(jobs.enumerated().filter { $0.offset != confirmed }.map(\.element), totals: &totals)
    } catch TellerError.messageRefused(let reason) where jobs.first?.line != nil {
      printer.badLine(jobs[0].line ?? 0, TellerError.messageRefused(reason: reason).description)
      totals.badLines += 1
      return SubmittedPortion(jobs: [], printer: printer, gates: gates)
    } catch TellerError.incomplete(let confirmed, _, let reason) {
      totals.submitted += confirmed
      throw Failure(
        ExitStatus(reason), BatchProblem.text(submitted: totals.submitted, line: jobs[confirmed...].first?.line, reason)
      )
    } catch is CancellationError {
      throw Failure(.interrupted, InterruptionText.unconfirmed(submissions.map(\.id)))
    }
    let sent = zip(jobs, handles).map { SubmittedPortion.Job(line: $0.line, handle: $1) }
    return SubmittedPortion(jobs: sent, printer: printer, gates: gates)
  }
}

/// The error when the broker does not take the rest of the jobs.
enum BatchProblem {
  /// `submitted`: how many jobs the broker has safely, in all. `line`: that of the first job that the broker may not have, if
  /// the jobs come from a file.
  static func text(submitted: Int, line: Int?, _ reason: TellerError) -> String {
    let done = submitted == 0 ? "no job is known to be submitted" : "only \(submitted) jobs are known to be submitted"
    let rest = line.map { "go on with line \($0)" } ?? "submit the others again"
    return "\(done): \(reason); \(rest), with \"id\" in each line or --id where no job may be there twice"
  }
}

extension SubmissionTotals {
  /// Whether a wait ended in vain: no coordinator has answered within the limit.
  fileprivate var isInDoubt: Bool { notYetAccepted + outcomeUnknown > 0 }
}

extension [SourceItem] {
  fileprivate var jobs: [SourceItem.Job] {
    compactMap { item in
      guard case .job(let job) = item else { return nil }
      return job
    }
  }
}
