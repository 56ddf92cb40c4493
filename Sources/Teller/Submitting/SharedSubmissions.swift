import AMQP
import DequeModule
import JobModel
import JobTransport
import Synchronization

/// Single submissions of many tasks, which share messages: while one set of messages is on its way to the broker, what is
/// submitted gathers, and leaves together when the broker has answered. When nothing is on its way, a submission leaves at
/// once. After a set of several the next one waits a little longer: see ``SetPause``.
///
/// Only what comes through at once is done here. Any other submission is left to its own task, which waits and sends again,
/// and can take its message back as long as the broker reads none. A set that has been handed to the connection is not taken
/// back: it may arrive although a call of it was cancelled, or was too late.
final class SharedSubmissions: Sendable {
  private struct Limit {
    let end: ContinuousClock.Instant
    let answer: OneShot<SubmissionAnswer>
  }

  private struct State {
    var waiting: Deque<SubmissionCall> = []
    var isUnderWay = false
    var pause = SetPause()
    /// Of the calls without an answer, in the order of their ends.
    var limits: Deque<Limit> = []
    var isTimed = false

    /// The calls that leave together.
    mutating func next() -> [SubmissionCall] {
      pause.end()
      var (calls, bytes) = ([SubmissionCall](), 0)
      while calls.count < SharedSubmissions.mostTogether, bytes < ClientCore.submissionBatch.bytes,
        let call = waiting.popFirst()
      {
        bytes += call.submission.content.payload.count
        calls.append(call)
      }
      isUnderWay = !calls.isEmpty
      return calls
    }
  }

  /// The most submissions that leave together.
  static let mostTogether = 1_024

  private let line: ClientLine
  /// How long a call waits, and its error after that.
  private let limit: Duration
  private let turns: SubmissionTurns
  private let state = Mutex(State())

  init(_ line: ClientLine, limit: Duration, turns: SubmissionTurns) {
    (self.line, self.limit, self.turns) = (line, limit, turns)
  }

  /// How many calls have gathered, and whether others are on their way.
  var gathered: (count: Int, isUnderWay: Bool) { state.withLock { ($0.waiting.count, $0.isUnderWay) } }

  /// Sends a submission together with others. `late`: the error once the limit has passed.
  ///
  /// - Throws: `late`, or `CancellationError`: then a submission that has only gathered is not sent any more.
  func send(_ submission: Submission, late: @escaping @Sendable () -> TellerError) async throws -> SubmissionAnswer {
    guard line.openConnection != nil, line.blocked == nil else { return .notTaken(nil) }
    let call = SubmissionCall(submission: submission, answer: OneShot())
    let isFirst = state.withLock { state in
      state.waiting.append(call)
      state.pause.came(at: .now)
      defer { state.isUnderWay = true }
      return !state.isUnderWay
    }
    if isFirst { sendNext() }
    watch(call.answer)
    do {
      return try await call.answer.value
    } catch {
      state.withLock { $0.waiting.removeAll { $0.answer === call.answer } }
      call.answer.fulfil(.failure(error))
      throw error is LimitPassed ? late() : error
    }
  }

  private func sendNext() {
    let calls = state.withLock { $0.next() }
    if calls.isEmpty { return }
    let set = SubmissionSet(calls)
    let mayOvertake = turns.begin(last: calls.last?.submission.answeredID, at: .now)
    guard let connection = line.openConnection else { return end(set, .failure(.closed)) }
    if mayOvertake, let early = early(set) {
      sendEarly(early, set, on: connection)
    } else {
      send(set, on: connection)
    }
  }

  private func send(_ set: SubmissionSet, on connection: Connection) {
    do throws(AMQPError) {
      try connection.publish(contentsOf: set.packs.map(\.message)) { self.end(set, $0) }
    } catch {
      end(set, .failure(error))
    }
  }

  /// What has gathered leaves first: it has waited for this.
  private func end(_ set: SubmissionSet, _ result: Result<[PublishResult], AMQPError>) {
    if case .failure(let error) = result { turns.met(error) }
    turns.end()
    follow(set.calls.count, sentAt: set.sentAt, isPaced: (try? result.get()) != nil)
    set.answer(result)
    forgetAnswered()
  }

  private func follow(_ count: Int, sentAt: ContinuousClock.Instant, isPaced: Bool) {
    let pause = isPaced ? state.withLock { $0.pause.begin(after: count, sentAt: sentAt, at: .now) } : .zero
    guard pause > .zero else { return sendNext() }
    // Detached: this may be the thread of any caller.
    Task.detached {
      try? await Task.sleep(for: pause, tolerance: .zero)
      self.sendNext()
    }
  }

  private func forgetAnswered() {
    state.withLock { state in while state.limits.first?.answer.isFulfilled == true { state.limits.removeFirst() } }
  }
}

// The early queue.
extension SharedSubmissions {
  /// The message for the coordinator's early queue; nil: the set goes to the durable queue.
  private func early(_ set: SubmissionSet) -> TransientPublishing? {
    guard set.calls.count == 1, set.packs.count == 1, EarlyCodec.mayCome(set.calls[0].submission) else { return nil }
    return EarlyCodec.encode(submission: set.packs[0].message)
  }

  private func sendEarly(_ early: TransientPublishing, _ set: SubmissionSet, on connection: Connection) {
    turns.awaitReply(to: set.calls[0].submission.id) { isReplied in
      // On the same connection: where the broker has ended it for the early message, the error says so.
      if isReplied { self.end(set, .success([.confirmed])) } else { self.send(set, on: connection) }
    }
    try? connection.publishSoon(contentsOf: [early])
  }
}

// The limit. All calls have the same, so one timer is enough for all, and nothing is timed while no call waits for long.
extension SharedSubmissions {
  private struct LimitPassed: Error {}

  private func watch(_ answer: OneShot<SubmissionAnswer>) {
    if answer.isFulfilled { return }
    let isTimed = state.withLock { state in
      state.limits.append(Limit(end: .now + limit, answer: answer))
      defer { state.isTimed = true }
      return state.isTimed
    }
    if !isTimed { Task { [weak self] in await SharedSubmissions.keepTime(of: { self }) } }
  }

  private static func keepTime(of shared: () -> SharedSubmissions?) async {
    while let end = shared()?.nextEnd() {
      try? await Task.sleep(until: end, clock: .continuous)
      for answer in shared()?.takeLate() ?? [] { answer.fulfil(.failure(LimitPassed())) }
    }
  }

  private func nextEnd() -> ContinuousClock.Instant? {
    state.withLock { state in
      state.isTimed = !state.limits.isEmpty
      return state.limits.first?.end
    }
  }

  private func takeLate() -> [OneShot<SubmissionAnswer>] {
    state.withLock { state in
      let late = state.limits.prefix { $0.end <= .now || $0.answer.isFulfilled }.map(\.answer)
      state.limits.removeFirst(late.count)
      return late
    }
  }
}
