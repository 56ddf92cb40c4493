public import JobModel

extension JobContext {
  /// How long ``value(of:through:within:)`` waits unless it is told otherwise.
  public static var waitingLimit: Duration { .seconds(600) }

  /// Submits another job, and waits for its result, without keeping others from the department of this one: while the
  /// handler waits, its teller is lent to the next job. The department goes on, also when it has one teller.
  ///
  ///     let picture = JobSubmission(Picture.self, address, id: context.id(of: "picture"))
  ///     let file = try await context.value(of: picture, through: client)
  ///
  /// - The job is made one level more urgent than this one, unless it is more urgent already: so it does not stand behind
  ///   many others that would wait in the same way.
  /// - When the wait has ended, the handler goes on with the next free teller. Never do more handlers work than there are
  ///   tellers.
  /// - A handler may wait for several jobs at once, in child tasks. Its teller is lent until the last of them has ended.
  /// - When the worker drains, or 16 handlers of the worker wait in the department already, this throws ``JobSnooze``.
  ///   Let it pass: this job runs again a little later, from its beginning, and no attempt is used up. By
  ///   ``id(of:)`` it finds the same job again.
  ///
  /// A wait that could never end is refused: for a job of an ordered department, or of one with a cap, if this job, or a
  /// job that waits for it, is in the same department; for itself; and for a ninth job in a row.
  ///
  /// - Parameters:
  ///   - submission: The job.
  ///   - client: Submits it, and hears of its outcome: one client for all jobs of a worker.
  ///   - limit: How long to wait, from the submission to the result; at most until ``deadline``. Beyond it the submission
  ///     itself, where the broker does not confirm it, takes ``ClientTimeouts/submit``.
  /// - Returns: The result.
  /// - Throws: ``PermanentFailure`` with the code `deadlock`; ``JobError`` when the job was rejected, failed or was
  ///   cancelled; ``TellerError``, such as ``TellerError/timedOut(waitingFor:limit:)``, which says why the job has not
  ///   ended; ``JobSnooze``; `CancellationError`.
  public func value<Output>(
    of submission: JobSubmission<Output>, through client: TellerClient, within limit: Duration = Self.waitingLimit
  ) async throws -> Output {
    let chain = WaitingChain(to: job)
    if let obstacle = chain.obstacle(to: submission.id, after: submission.after) { throw deadlock(obstacle) }
    if let department = submission.department { try await refuse(department, chain, client) }
    var submission = submission
    submission.headers[WaitingChain.header] = chain.text
    submission.priority = max(submission.priority, Priority(priority.level + 1) ?? priority)
    let end = ContinuousClock.now + limit
    return try await line.lending(level: chain.level) { [submission] in
      let handle = try await client.submit(submission)
      try await handle.accepted(timeout: end - .now)
      try await refuse(handle, submission.department, chain)
      return try await explained(limit, handle) { try await value(of: handle, end - .now, chain) }
    }
  }

  /// The id of a job that this one submits: the same for the same name, in every attempt. Submit it with the same payload in
  /// each; another one is rejected with `id_conflict`. So a job that runs again submits
  /// nothing twice.
  ///
  /// - Parameter name: Of the job, among those that this one submits.
  /// - Returns: The id.
  public func id(of name: String) -> JobID { JobID(submittedBy: id, as: name) }

  /// Waits for the result, and looks from time to time whether the other job stands behind this one.
  private func value<Output>(of handle: JobHandle<Output>, _ limit: Duration, _ chain: WaitingChain) async throws
    -> Output
  {
    try await withThrowingTaskGroup(of: Output.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await handle.value(timeout: limit) }
      group.addTask { try await Self.standsBehind(chain, handle) }
      guard let value = try await group.next() else { throw CancellationError() }
      return value
    }
  }

  /// Returns never. Jobs that ran together when a worker died run apart from each other: such a job may be released only
  /// when this one has ended. So this one runs again later.
  private static func standsBehind<Output>(_ chain: WaitingChain, _ handle: JobHandle<Output>) async throws -> Never {
    var pause = WaitingPauses.firstLook
    while true {
      try await Task.sleep(for: pause)
      pause = WaitingPauses.nextLook
      // Whether anybody answers is of no concern here: the wait for the outcome says so.
      let reasons = try? await handle.client.explain(handle.duplicateOf ?? handle.id).reasons
      let isBehind = reasons?.contains { $0.hold == .suspect && $0.jobs.contains(where: chain.has) } ?? false
      if isBehind { throw JobSnooze(for: WaitingPauses.behind) }
      try Task.checkCancellation()
    }
  }

  /// Refuses to wait for a job that is recorded, and that cannot run.
  private func refuse<Output>(_ handle: JobHandle<Output>, _ named: Department?, _ chain: WaitingChain) async throws {
    let runs = handle.duplicateOf ?? handle.id
    if let obstacle = chain.obstacle(toAccepted: runs) { throw deadlock(obstacle) }
    if named != nil, handle.duplicateOf == nil { return }
    guard let record = try await Self.ifAllowed({ try await handle.client.job(runs) }), record.outcome == nil else {
      return
    }
    try await refuse(record.department, chain, handle.client)
  }

  private func refuse(_ department: Department, _ chain: WaitingChain, _ client: TellerClient) async throws {
    guard chain.has(department) else { return }
    let status = try await Self.ifAllowed { try await client.status() }
    let found = status?.departments.first { $0.department == department }
    if let obstacle = found.flatMap(chain.obstacle(in:)) { throw deadlock(obstacle) }
  }

  /// The answer; nil: the user may not ask, or there is nothing to tell. Then only the limit of the wait is left.
  private static func ifAllowed<Answer>(_ ask: () async throws -> Answer) async throws -> Answer? {
    do {
      return try await ask()
    } catch TellerError.refused, TellerError.unknownJob {
      return nil
    }
  }

  /// A wait that ends with its limit says why the job has not ended.
  private func explained<Output, Value>(
    _ limit: Duration, _ handle: JobHandle<Output>, _ wait: () async throws -> Value
  ) async throws -> Value {
    do {
      return try await wait()
    } catch TellerError.timedOut(let what, let limit) {
      let reasons = try? await handle.client.explain(handle.duplicateOf ?? handle.id).reasons.map(\.text)
      let why = reasons.map { " (\($0.joined(separator: "; ")))" } ?? ""
      throw TellerError.timedOut(waitingFor: what + why, limit: limit)
    }
  }

  private func deadlock(_ reason: String) -> PermanentFailure {
    PermanentFailure(
      code: JobFailure.Code.deadlock, message: "job \(id) must not wait for the job that it submits: \(reason)")
  }
}

/// How often a handler that waits looks whether the other job stands behind its own.
private enum WaitingPauses {
  static let firstLook: Duration = .seconds(2)
  static let nextLook: Duration = .seconds(10)
  /// After what time a job runs again that the other one stands behind.
  static let behind: Duration = .seconds(2)
}
