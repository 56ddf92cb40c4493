import JobModel
import JobTransport

/// Jobs about which the coordinator does not tell by itself, or not to this client. The client asks about all of them,
/// with one question at a time, which the coordinator answers when they have ended, or after the question's turn.
extension ClientCore {
  /// How long the answer to a question may take beyond its turn. A question is lost with its coordinator, and the outcomes
  /// that it was for are late by this.
  static let pollAnswerLimit: Duration = .seconds(5)

  /// The pause between two questions, unless a task begins to wait for another job.
  static let pollPause: Duration = .milliseconds(100)

  /// Asks for outcomes as long as anybody waits for one.
  func pollOutcomes() async {
    var (backOff, lastJoin) = (BackOff.resending, ContinuousClock.now)
    while !Task.isCancelled {
      // Before the jobs are looked up, so that nobody is missed.
      let join = jobs.nextPoll
      let ids = Array(jobs.polled)
      if ids.isEmpty {
        try? await join.value
      } else if await poll(ids, quietFor: .now - lastJoin, until: join) {
        backOff.reset()
        await pause(until: join)
      } else {
        try? await Task.sleep(for: backOff.next())
      }
      if join.isFulfilled { lastJoin = .now }
    }
  }

  /// The coordinator answers at once about jobs that it does not know, however often it is asked.
  private func pause(until join: OneShot<Void>) async {
    try? await within(ClientCore.pollPause, orThrow: { CancellationError() }) { try await join.value }
  }

  /// Asks once about each job.
  ///
  /// - Returns: whether a coordinator has answered, or a new job is to be asked about.
  private func poll(_ ids: [JobID], quietFor quiet: Duration, until join: OneShot<Void>) async -> Bool {
    let groups = ids.pieces(of: WaitQuery.idLimits.upperBound)
    // The answer is to come well before the client takes the coordinator for silent.
    let left = min(jobs.timeLeft ?? patienceLeft(), patienceLeft() / 2)
    let turn = PollTurn(jobs: ids.count, groups: groups.count, quietFor: quiet, silence: silence.time, left: left)
    for group in groups {
      guard await poll(group: Array(group), turn, until: join) else { return false }
    }
    return true
  }

  private func poll(group ids: [JobID], _ turn: PollTurn, until join: OneShot<Void>) async -> Bool {
    let askedAt = ContinuousClock.now
    do {
      try await poll(group: ids, for: turn.limit, until: turn.endsAtJoin ? join : nil)
      return true
    } catch TellerError.refused(let failure) where failure.code == JobFailure.Code.busy {
      // There is a coordinator, and it has many such questions open.
      silence.end()
    } catch let error as TellerError where error.isRefusal {
      jobs.interruptPolled(error)
    } catch {
      if !Task.isCancelled { countSilence(error, since: askedAt) }
    }
    return false
  }

  /// Asks about jobs, and again about those whose outcomes did not fit into the answer.
  private func poll(group ids: [JobID], for limit: Duration, until join: OneShot<Void>?) async throws {
    var query = WaitQuery(ids: ids, limit: limit)
    while !query.ids.isEmpty {
      guard let document = try await answer(to: query, until: join) else { return }
      learn(document)
      query = WaitQuery(ids: document.omitted, limit: .zero)
    }
  }

  /// - Returns: nil: a task has begun to wait for another job, and the question is given up.
  private func answer(to query: WaitQuery, until join: OneShot<Void>?) async throws -> WaitDocument? {
    let limit = min(query.limit + ClientCore.pollAnswerLimit, query.limit + timeouts.request, patienceLeft())
    return try await withThrowingTaskGroup(of: WaitDocument?.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await self.ask(.wait(query), within: limit, patience: self.timeouts.coordinator) }
      if let join {
        group.addTask {
          try await join.value
          return nil
        }
      }
      return try await group.next() ?? nil
    }
  }
}

extension TellerError {
  /// Whether the broker, or the coordinator, refuses a question, so that asking again does not help.
  fileprivate var isRefusal: Bool {
    switch self {
    case .brokerRefused, .encryptionFailed, .refused, .notUnderstood, .invalid: true
    default: false
    }
  }
}

/// How long the coordinator may keep a question about outcomes open. A pure value.
///
/// The answer to a question about several jobs comes when all have ended, so its turn is also how late an outcome may be.
struct PollTurn: Hashable {
  /// A question about several jobs, or about one that is not the only one for long.
  static let shared: Duration = .seconds(1)
  /// A question about one job. It is given up when a task begins to wait for another one; the coordinator does not learn
  /// of that. So there is one at most in such a time.
  static let alone: Duration = .seconds(5)
  /// However many groups there are, so many questions a second are no burden for the coordinator. Beyond ten groups the
  /// outcomes are later than a second.
  static let shortest: Duration = .milliseconds(100)
  /// With so little time left the coordinator is to answer at once: the answer has a way to come, too.
  static let lastMoment: Duration = .milliseconds(100)

  let limit: Duration
  /// Whether the question is given up when a task begins to wait for another job.
  let endsAtJoin: Bool

  /// - Parameters:
  ///   - jobs: how many jobs are waited for, with as many questions as there are groups.
  ///   - groups: the questions of one round, one after the other.
  ///   - quiet: how long nobody has begun to wait for another job.
  ///   - silence: how long no question has been answered. Then a short one finds out whether there is a coordinator.
  ///   - left: how long the first of those who wait goes on waiting; nil: as long as necessary.
  init(jobs: Int, groups: Int, quietFor quiet: Duration, silence: Duration, left: Duration?) {
    endsAtJoin = jobs == 1 && quiet >= PollTurn.alone
    let usual = endsAtJoin ? PollTurn.alone : max(PollTurn.shortest, PollTurn.shared / max(1, groups))
    let longest = left.map { max(.zero, $0 - PollTurn.lastMoment) } ?? usual
    limit = silence > .zero ? .zero : min(usual, longest)
  }
}
