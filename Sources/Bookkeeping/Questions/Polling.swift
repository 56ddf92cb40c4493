package import Decisions
package import JobModel
package import JobTransport
import Ledger

/// Requests that wait for outcomes.
extension Bookkeeper {
  /// Remembers a request; what is over by now, or unknown, is not waited for.
  ///
  /// Remembered first, and then looked up, beside the flow: what ends in between is not missed.
  package func beginWaiting(_ query: WaitQuery, _ address: AnswerAddress, at now: Duration) async throws -> JobFailure?
  {
    try checkThatMemoryHolds()
    let poll = LongPolls.Poll(address: address, ids: query.ids, deadline: now + query.limit)
    if query.limit == .zero {
      signals.outbox.append([.polled(poll)])
      return nil
    }
    if parts.audience.polls.isFull {
      guard try await pending(of: query.ids).isEmpty else { return .tooManyWaits() }
      signals.outbox.append([.polled(poll)])
      return nil
    }
    let number = parts.audience.polls.add(poll)
    do {
      let pending = try await pending(of: query.ids)
      if let over = parts.audience.polls.narrow(number, to: pending) { signals.outbox.append([.polled(over)]) }
    } catch {
      parts.audience.polls.forget(number)
      throw error
    }
    return nil
  }

  /// Which of these jobs, and plans, are there and have no outcome.
  private func pending(of ids: [JobID]) async throws(LedgerError) -> Set<JobID> {
    try await ledger.read { queries in Set(try ids.filter { try queries.hasOutcome($0) == false }) }
  }

  /// How many bytes of results one answer takes; what does not fit is to be asked for again.
  private static let resultBytes = 512 * 1024

  /// The ledger's word on the jobs, and plans, that were waited for.
  package func document(of poll: LongPolls.Poll) async throws -> WaitDocument {
    let clock = parts.time.clock
    return try await ledger.read { queries in
      var document = WaitDocument(finished: [], pending: [])
      var bytes = 0
      for id in poll.ids {
        guard let job = try queries.anyJob(id) else {
          document.unknown.append(id)
          continue
        }
        bytes += job.outcome?.resultSize ?? 0
        document.add(clock.shown(job), fits: bytes <= Bookkeeper.resultBytes || document.finished.isEmpty)
      }
      return document
    }
  }
}

extension WaitDocument {
  fileprivate mutating func add(_ job: Job, fits: Bool) {
    if job.outcome == nil {
      pending.append(job.id)
    } else if fits {
      finished.append(JobRecord(job))
    } else {
      omitted.append(job.id)
    }
  }
}

extension Outcome {
  fileprivate var resultSize: Int {
    guard case .succeeded(let result, _) = self else { return 0 }
    return result.count
  }
}

extension JobFailure {
  fileprivate static func tooManyWaits() -> JobFailure {
    JobFailure(code: Code.busy, message: "\(LongPolls.limit) requests are waiting already; ask again later")
  }
}
