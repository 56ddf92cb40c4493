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
  /// The broker's answer to a submission.
  enum Answer: Hashable, Sendable {
    case confirmed
    /// The submission may have arrived all the same. Nil: the broker said nothing of it.
    case notTaken(PublishResult?)
  }

  private struct Call {
    let submission: Submission
    let answer: OneShot<Answer>
  }

  private struct Limit {
    let end: ContinuousClock.Instant
    let answer: OneShot<Answer>
  }

  private struct State {
    var waiting: Deque<Call> = []
    var isUnderWay = false
    var pause = SetPause()
    /// Of the calls without an answer, in the order of their ends.
    var limits: Deque<Limit> = []
    var isTimed = false

    /// The calls that leave together.
    mutating func next() -> [Call] {
      pause.end()
      var (calls, bytes) = ([Call](), 0)
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
  private let state = Mutex(State())

  init(_ line: ClientLine, limit: Duration) { (self.line, self.limit) = (line, limit) }

  /// How many calls have gathered, and whether others are on their way.
  var gathered: (count: Int, isUnderWay: Bool) { state.withLock { ($0.waiting.count, $0.isUnderWay) } }

  /// Sends a submission together with others. `late`: the error once the limit has passed.
  ///
  /// - Throws: `late`, or `CancellationError`: then a submission that has only gathered is not sent any more.
  func send(_ submission: Submission, late: @escaping @Sendable () -> TellerError) async throws -> Answer {
    guard line.openConnection != nil, line.blocked == nil else { return .notTaken(nil) }
    let call = Call(submission: submission, answer: OneShot())
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
    let sentAt = ContinuousClock.now
    let packs = SubmissionPacks.write(calls.lazy.map(\.submission))
    do throws(AMQPError) {
      guard let connection = line.openConnection else { throw AMQPError.closed }
      try connection.publish(contentsOf: packs.map(\.message)) { result in
        // What has gathered leaves first: it has waited for this.
        self.follow(calls.count, sentAt: sentAt, isPaced: (try? result.get()) != nil)
        SharedSubmissions.answer(calls, packs.map(\.count), result)
        self.forgetAnswered()
      }
    } catch {
      sendNext()
      SharedSubmissions.answer(calls, [], .failure(error))
      forgetAnswered()
    }
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

  private static func answer(_ calls: [Call], _ counts: [Int], _ result: Result<[PublishResult], AMQPError>) {
    let results = zip((try? result.get()) ?? [], counts).flatMap { repeatElement($0, count: $1) }
    for (index, call) in calls.enumerated() {
      let result = index < results.count ? results[index] : nil
      call.answer.fulfil(.success(result == .confirmed ? .confirmed : .notTaken(result)))
    }
  }

  private func forgetAnswered() {
    state.withLock { state in while state.limits.first?.answer.isFulfilled == true { state.limits.removeFirst() } }
  }
}

// The limit. All calls have the same, so one timer is enough for all, and nothing is timed while no call waits for long.
extension SharedSubmissions {
  private struct LimitPassed: Error {}

  private func watch(_ answer: OneShot<Answer>) {
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

  private func takeLate() -> [OneShot<Answer>] {
    state.withLock { state in
      let late = state.limits.prefix { $0.end <= .now || $0.answer.isFulfilled }.map(\.answer)
      state.limits.removeFirst(late.count)
      return late
    }
  }
}
