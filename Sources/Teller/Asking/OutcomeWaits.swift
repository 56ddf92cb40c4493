import JobModel
import Synchronization

/// The waits of ``TellerClient/outcomes(of:timeout:unknownAfter:)``. None has a task of its own: there may be very many.
final class OutcomeWaits: Sendable {
  private struct State {
    /// The jobs that are not told of.
    var left: Set<JobID>
    var waits: [JobID: TrackedJob.Wait] = [:]
    var timer: Task<Void, Never>?
  }

  private let jobs: TrackedJobs
  private let told: AsyncThrowingStream<JobEnd, any Error>.Continuation
  private let state: Mutex<State>

  init(
    for ids: Set<JobID>, in jobs: TrackedJobs, telling told: AsyncThrowingStream<JobEnd, any Error>.Continuation
  ) {
    (self.jobs, self.told) = (jobs, told)
    state = Mutex(State(left: ids))
  }

  /// Waits, until every job is told of, the timeout has passed, or nobody reads any more.
  func begin(timeout: Duration?, patience: Duration?) {
    let deadline = timeout.map { ContinuousClock.now + $0 }
    told.onTermination = { _ in self.end() }
    let ids = state.withLock { $0.left }
    if ids.isEmpty { return told.finish() }
    for id in ids { wait(for: id, patience, deadline) }
    // All waits have begun before the next question, which is about all of them then.
    jobs.pollSoon()
    if let timeout, let deadline { startTimer(until: deadline, timeout) }
  }

  private func wait(for id: JobID, _ patience: Duration?, _ deadline: ContinuousClock.Instant?) {
    let wait = jobs.job(id).begin(.record, patience: patience, deadline: deadline) { self.take($0, of: id) }
    let isOver = state.withLock { state in
      if state.left.contains(id) { state.waits[id] = wait }
      return !state.left.contains(id)
    }
    if isOver { wait.end() }
  }

  private func startTimer(until deadline: ContinuousClock.Instant, _ timeout: Duration) {
    let timer = Task {
      guard (try? await Task.sleep(until: deadline, clock: .continuous)) != nil else { return }
      let left = state.withLock { $0.left }
      if !left.isEmpty { told.finish(throwing: TellerError.timedOut(waitingFor: left, timeout)) }
    }
    let isOver = state.withLock { state in
      state.timer = timer
      return state.left.isEmpty
    }
    if isOver { timer.cancel() }
  }

  /// The end of one wait. An error of all of them ends all.
  private func take(_ result: TrackedJob.End, of id: JobID) {
    switch Result(catching: { try JobEnd(of: id, result) }) {
    case .failure(let error): told.finish(throwing: error)
    case .success(let end):
      let isLast = state.withLock { state in
        state.waits[id] = nil
        // Told under the lock: so the last end is told last.
        guard state.left.remove(id) != nil else { return false }
        told.yield(end)
        return state.left.isEmpty
      }
      if isLast { told.finish() }
    }
  }

  private func end() {
    let (waits, timer) = state.withLock { state in
      defer { state = State(left: []) }
      return (state.waits, state.timer)
    }
    timer?.cancel()
    for wait in waits.values { wait.end() }
  }
}

extension JobEnd {
  fileprivate init(of id: JobID, _ result: TrackedJob.End) throws {
    do {
      guard let record = try result.get().record else {
        throw TellerError.notUnderstood(reason: "job \(id) ended without a record")
      }
      self = .ended(record)
    } catch TellerError.unknownJob, is JobError {
      self = .unknown(id)
    }
  }
}

extension TellerError {
  fileprivate static func timedOut(waitingFor jobs: Set<JobID>, _ limit: Duration) -> TellerError {
    let first = jobs.first.map { "job \($0)" } ?? "a job"
    let others = jobs.count > 1 ? " and \(jobs.count - 1) others" : ""
    return .timedOut(waitingFor: "\(first)\(others) to end", limit: limit)
  }
}
