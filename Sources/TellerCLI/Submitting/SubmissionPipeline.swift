import Teller

/// Submits what a source gives, in its order: while some portions wait to be accepted, the next ones are sent.
struct SubmissionPipeline: Sendable {
  /// How many jobs are sent at once.
  static let portion = 1_000
  /// How many portions may wait to be accepted, or for their outcomes.
  static let portionsUnderWay = 8

  let client: TellerClient
  /// Whether outcomes are waited for, too.
  let waits: Bool
  let printer: SubmissionPrinter

  /// What became of all of it, and the error that ended it early, if one did.
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
    while let items = try await source.next() {
      totals.badLines += tellOfBadLines(items)
      for portion in items.jobs.chunked(SubmissionPipeline.portion) {
        if underWay == SubmissionPipeline.portionsUnderWay, let part = await group.next() {
          underWay -= 1
          totals += part
          // Nobody accepts anything: more would only wait there, too.
          if part.notYetAccepted > 0 { return }
        }
        let sent = try await send(portion)
        totals.submitted += sent.count
        underWay += 1
        group.addTask { await follow(sent) }
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

  private func send(_ jobs: [SourceItem.Job]) async throws -> [Sent] {
    let submissions = jobs.map { job in
      var submission = job.submission
      submission.answers = waits ? .outcome : .acceptance
      return submission
    }
    return zip(jobs, try await client.submit(contentsOf: submissions)).map { Sent(line: $0.line, handle: $1) }
  }

  private struct Sent: Sendable {
    var line: Int?
    var handle: JobHandle<JSONValue>
  }

  private func follow(_ sent: [Sent]) async -> SubmissionTotals {
    var totals = SubmissionTotals()
    for job in sent {
      do {
        try await job.handle.accepted()
        totals.accepted += 1
        printer.accepted(job.handle.id, line: job.line)
        if waits { totals.count(try await outcome(of: job)) }
      } catch let rejection as JobFailure {
        totals.rejected += 1
        printer.rejected(job.handle.id, line: job.line, rejection)
      } catch {
        totals.notYetAccepted += 1
        printer.unknown(job.handle.id, line: job.line)
      }
    }
    return totals
  }

  private func outcome(of job: Sent) async throws -> Outcome {
    let outcome = try await job.handle.outcome()
    printer.ended(job.handle.id, line: job.line, outcome)
    return outcome
  }
}

extension SubmissionTotals {
  fileprivate mutating func count(_ outcome: Outcome) {
    switch outcome {
    case .succeeded: succeeded += 1
    case .failed: failed += 1
    case .cancelled: cancelled += 1
    }
  }
}

extension SourceItem {
  /// A job with the line it came from.
  struct Job: Sendable {
    var line: Int?
    var submission: JobSubmission<JSONValue>
  }
}

extension [SourceItem] {
  fileprivate var jobs: [SourceItem.Job] {
    compactMap { item in
      guard case .job(let line, let submission) = item else { return nil }
      return SourceItem.Job(line: line, submission: submission)
    }
  }
}

extension Array {
  /// Its elements in portions of at most that many.
  fileprivate func chunked(_ size: Int) -> [[Element]] {
    stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
  }
}
