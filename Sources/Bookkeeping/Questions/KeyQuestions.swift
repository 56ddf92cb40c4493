import Decisions
package import JobModel
package import JobTransport
package import Ledger

/// One key: who has it, and its outcome. The ledger is read beside the flow.
extension Bookkeeper {
  /// How a key stands now.
  package func keyStatus(_ key: JobKey) async throws(LedgerError) -> KeyStatus {
    let (time, now) = (parts.time.clock, parts.time.now)
    let read = try await ledger.read { queries in
      (holder: try queries.keyHolder(key.kind, key.key), job: try queries.lastJob(withKey: key.key, of: key.kind))
    }
    var status = KeyStatus(key)
    status.isTaken = read.holder?.isTaken(at: now) ?? false
    status.job = read.job?.id ?? read.holder?.job
    if let job = read.job {
      status.state = job.visibleState(isRunning: parts.releases.live.state(of: job.id) == .running)
      status.sinceMs = time.wallTime(of: job.acceptedAt)
      status.finishedMs = job.finishedAt.map(time.wallTime)
    }
    if let outcome = read.job?.outcome ?? read.holder?.outcome { status.end(with: outcome) }
    if let holder = read.holder, status.isTaken {
      if holder.isWhileLive { status.isWhileLive = true } else { status.untilMs = time.wallTime(of: holder.until) }
    }
    status.waiting = parts.audience.count(of: key, read.job)
    return status
  }

  /// Answers a request for the outcome of a key, or remembers the request until a job with the key has ended.
  ///
  /// Remembered first, and then looked up: what ends in between is not missed.
  ///
  /// - Returns: The answer; nil: it comes later.
  /// - Throws: `JobFailure` when too many requests wait; `LedgerError`.
  package func beginWaiting(
    _ query: KeyQuestion, _ address: AnswerAddress, at now: Duration
  ) async throws -> KeyStatus? {
    guard query.limit > .zero else { return try await keyStatus(query.name) }
    try checkThatMemoryHolds()
    guard !parts.audience.keyPolls.isFull else {
      let status = try await keyStatus(query.name)
      if status.outcome == nil { throw JobFailure.tooManyKeyPolls() }
      return status
    }
    let poll = KeyPolls.Poll(address: address, key: query.name, deadline: now + query.limit)
    let number = parts.audience.keyPolls.add(poll)
    do {
      let status = try await keyStatus(query.name)
      guard status.outcome != nil else { return nil }
      // Nil: a job ended meanwhile, and that answers.
      return parts.audience.keyPolls.take(number) == nil ? nil : status
    } catch {
      _ = parts.audience.keyPolls.take(number)
      throw error
    }
  }
}

extension Audience {
  /// How many wait for the outcome of a key, whose last job that is.
  fileprivate func count(of key: JobKey, _ job: Job?) -> Int {
    guard let job, job.outcome == nil else { return keyPolls.count(of: key) }
    let submitter = job.reply?.wait == .outcome ? 1 : 0
    return keyPolls.count(of: key) + submitter + earlier.count(of: job.id) + polls.count(of: job.id)
  }
}

extension JobFailure {
  fileprivate static func tooManyKeyPolls() -> JobFailure {
    JobFailure(
      code: Code.busy, message: "\(KeyPolls.limit) requests wait for keys already; ask again later")
  }
}
