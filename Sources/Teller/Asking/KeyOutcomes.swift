public import JobModel
import JobTransport

// What becomes of a key: the outcome is kept for whoever asks late.

extension TellerClient {
  /// Asks who has a key, and for the outcome that is kept. Answers at once.
  ///
  /// - Returns: The key at this moment, whether anybody has used it or not.
  /// - Throws: ``TellerError/invalid(reason:)``; ``TellerError`` when no coordinator answers; `CancellationError`.
  public func key(_ key: JobKey) async throws -> KeyStatus {
    try await core.key(KeyQuestion(key))
  }

  /// Waits for the outcome of a key: of the last job that has, or had, the key. It does not matter who has submitted that
  /// job, and when.
  ///
  ///     let outcome = try await client.outcome(of: JobKey(kind: "invoice", key: "2026-03/A-17"))
  ///
  /// Before anybody has used the key, this waits until somebody does, and until that job has ended. While the job runs,
  /// it waits for the end. Afterwards it answers at once, as long as the outcome is kept: see ``KeyStatus``. When the key
  /// is reset meanwhile, the wait goes on for the next use.
  ///
  /// - Parameters:
  ///   - key: The key, and its kind.
  ///   - timeout: How long to wait; nil: as long as a coordinator answers.
  /// - Returns: The outcome.
  /// - Throws: ``TellerError/timedOut(waitingFor:limit:)``; ``TellerError/invalid(reason:)``; other ``TellerError``s when no
  ///   coordinator or no broker could be asked for ``ClientTimeouts/coordinator``; `CancellationError`.
  public func outcome(of key: JobKey, timeout: Duration? = nil) async throws -> Outcome {
    // The wait ends with an outcome.
    guard let outcome = try await endedKey(key, timeout: timeout).outcome else {
      throw TellerError.notUnderstood(reason: "key \(key.key) of kind \(key.kind) ended without an outcome")
    }
    return outcome
  }

  /// As ``outcome(of:timeout:)``, with all that is known of the key.
  package func endedKey(_ key: JobKey, timeout: Duration?) async throws -> KeyStatus {
    guard let timeout else { return try await core.endedKey(key) }
    let error = { @Sendable in
      TellerError.timedOut(waitingFor: "an outcome of key \(key.key) of kind \(key.kind)", limit: timeout)
    }
    return try await within(timeout, orThrow: error) { try await self.core.endedKey(key) }
  }
}

extension ClientCore {
  func key(_ question: KeyQuestion, within limit: Duration? = nil) async throws -> KeyStatus {
    if let problem = question.problem { throw TellerError.invalid(reason: problem) }
    return try await ask(.key(question), within: limit)
  }

  /// Asks until there is an outcome: one question at a time, which the coordinator keeps open until a job with the key
  /// ends, or for the question's turn. A question is lost with its coordinator; then the outcome is late by the turn.
  fileprivate func endedKey(_ key: JobKey) async throws -> KeyStatus {
    var (backOff, lastAnswer) = (BackOff.resending, ContinuousClock.now)
    while true {
      do {
        let limit = min(PollTurn.alone, timeouts.coordinator / 2)
        let question = KeyQuestion(key, limit: limit)
        let status = try await self.key(question, within: limit + min(ClientCore.pollAnswerLimit, timeouts.request))
        if status.outcome != nil { return status }
        (backOff, lastAnswer) = (BackOff.resending, .now)
      } catch TellerError.refused(let failure) where failure.code == JobFailure.Code.busy {
        // There is a coordinator, and it has many such questions open.
        lastAnswer = .now
      } catch let error as TellerError where error.mayPassByItself && .now - lastAnswer < timeouts.coordinator {
        // A coordinator, or the broker, may be in the middle of being replaced.
      }
      // Also after an answer: a job may have ended whose key was reset.
      try await Task.sleep(for: backOff.next())
    }
  }
}

extension TellerError {
  fileprivate var mayPassByItself: Bool {
    switch self {
    case .noCoordinator, .brokerUnavailable, .brokerBlocked: true
    default: false
    }
  }
}
