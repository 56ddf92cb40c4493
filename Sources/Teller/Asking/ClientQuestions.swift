import AMQP
import Foundation
package import JobModel
package import JobTransport

extension TellerClient {
  /// How the whole stands.
  ///
  /// - Throws: `TellerError`, or `CancellationError`; so do all questions.
  package func status() async throws -> StatusDocument {
    try await core.ask(.status, within: core.timeouts.request)
  }

  /// A page of jobs, newest first.
  package func jobs(_ query: JobsQuery) async throws -> JobsDocument {
    try await core.ask(.jobs(query), within: core.timeouts.request)
  }

  /// One job with its attempts.
  package func show(_ id: JobID) async throws -> JobDocument {
    try await about(id) { try await core.ask(.show(id), within: core.timeouts.request) }
  }

  /// Why a job is where it is.
  package func explanation(of id: JobID) async throws -> ExplainDocument {
    try await about(id) { try await core.ask(.explain(id), within: core.timeouts.request) }
  }

  /// Jobs that have ended, summed up.
  package func report(_ query: ReportQuery) async throws -> ReportDocument {
    try await core.ask(.report(query), within: core.timeouts.request)
  }

  /// How far a command about many jobs has come.
  package func operationDocument(_ id: Int64) async throws -> OperationDocument {
    try await core.ask(.operation(id), within: core.timeouts.request)
  }

  /// What the coordinator says of one job; when it does not know it, that is told by a case of its own.
  func about<Document>(_ id: JobID, _ ask: () async throws -> Document) async throws -> Document {
    do {
      return try await ask()
    } catch TellerError.refused(let failure) where failure.code == JobFailure.jobNotFound(id).code {
      throw TellerError.unknownJob(id)
    }
  }

  /// What became of jobs, as soon as all have ended or the limit has passed.
  ///
  /// - Parameters:
  ///   - ids: at most 1,000.
  ///   - limit: at most 30 s.
  ///   - patience: for the answer, all in all; nil: as long as for any other one, and the limit on top.
  /// - Returns: those that have ended, and what is known of the others.
  /// - Throws: `TellerError`, or `CancellationError`. A coordinator that has too many waiting is asked again for as
  ///   long as an answer may take; `TellerError.refused` with the code `busy` when it still has too many then.
  package func wait(
    for ids: [JobID], limit: Duration, patience: Duration? = nil
  ) async throws -> WaitDocument {
    let patience = patience ?? core.timeouts.request + limit
    let deadline = ContinuousClock.now + patience
    var backOff = BackOff.resending
    while true {
      do {
        return try await core.ask(.wait(WaitQuery(ids: ids, limit: limit)), within: patience)
      } catch TellerError.refused(let failure) where failure.code == JobFailure.busyCode {
        if ContinuousClock.now >= deadline { throw TellerError.refused(failure) }
        try await Teller.pause(for: backOff.next())
      }
    }
  }
}

extension ClientCore {
  /// How many jobs are asked about in one turn, so that many patient waits are no burden for the coordinator; the
  /// others have their turn later.
  static let askedPerTurn = 2_000

  /// Asks a coordinator, and reads its answer.
  func ask<Document: Decodable>(_ request: Request, within limit: Duration) async throws -> Document {
    try await ask(within: limit) { RequestCodec.encode(request, address: $0, expiration: $1) }
  }

  /// Tells a coordinator what an operator wants, and reads its answer. A command whose answer was lost is given again,
  /// and known again by its id.
  ///
  /// - Parameters:
  ///   - request: What is wanted.
  ///   - limit: For the answer; nil: as long as for that to a question.
  /// - Returns: the answer.
  /// - Throws: `TellerError`, or `CancellationError`.
  func command<Document: Decodable>(_ request: AdminRequest, within limit: Duration? = nil) async throws -> Document {
    // The coordinator would say the same, later.
    if let problem = request.problem { throw TellerError.invalid(reason: problem) }
    let limit = limit ?? timeouts.request
    let command = UUID()
    return try await ask(within: limit) {
      AdminCodec.encode(request, address: $0, expiration: $1, command: command)
    }
  }

  private func ask<Document: Decodable>(
    within limit: Duration, _ message: @escaping @Sendable (AnswerAddress, Duration) -> Publishing
  ) async throws -> Document {
    let delivery: Delivery = try await ask(within: limit, message)
    do {
      return try AnswerCodec.decode(Document.self, from: delivery)
    } catch {
      switch error {
      case .refused(let failure): throw TellerError.refused(failure)
      case .unreadable(let reason): throw TellerError.notUnderstood(reason: reason)
      }
    }
  }

  /// Asks about the jobs that somebody waits for and that have been silent for long.
  func askAboutSilentJobs() async {
    // A silence of earlier waits is not that of later ones.
    if jobs.needsNoAnswer { silence.forget() }
    var ids = jobs.toBeAsked(silentFor: timeouts.silence, atMost: ClientCore.askedPerTurn)[...]
    while !ids.isEmpty {
      let asked = Array(ids.prefix(WaitQuery.idLimits.upperBound))
      ids = ids.dropFirst(asked.count)
      guard await learn(about: asked) else { return jobs.markOverdue(Array(ids)) }
    }
  }

  /// - Returns: whether a coordinator has answered.
  private func learn(about ids: [JobID]) async -> Bool {
    let askedAt = ContinuousClock.now
    do {
      let query = WaitQuery(ids: ids, limit: .zero)
      // The last question is answered within what is left of the limit, or not at all.
      let left = max(timeouts.tick, patience - silence.time)
      let document: WaitDocument = try await ask(.wait(query), within: min(timeouts.request, left))
      for job in document.finished { jobs.learn(job.id, outcome: job.outcome) }
      for id in document.pending { jobs.learn(id, outcome: nil) }
      for id in document.unknown { jobs.reportUnknown(id, timeouts: timeouts) }
      // What did not fit into one message is asked for again.
      jobs.markOverdue(document.omitted)
      return true
    } catch is CancellationError {
      return false
    } catch {
      jobs.markOverdue(ids)
      noAnswer(error, since: askedAt)
      return false
    }
  }

  /// How long questions about jobs may find no answer.
  private var patience: Duration { timeouts.coordinator - timeouts.countedSilence }

  /// A question about jobs was in vain; when that has been so for too long, those who wait are told.
  private func noAnswer(_ error: any Error, since askedAt: ContinuousClock.Instant) {
    guard silence.unanswered(askedAt: askedAt) >= patience else { return }
    // Who waits from now on has the whole time.
    silence.forget()
    switch error {
    case TellerError.noCoordinator: jobs.interruptAll(.noCoordinator(silentFor: timeouts.coordinator))
    case let error as TellerError: jobs.interruptAll(error)
    default: jobs.interruptAll(.noCoordinator(silentFor: timeouts.coordinator))
    }
  }
}
