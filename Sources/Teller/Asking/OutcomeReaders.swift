import DequeModule
import JobModel
import JobTransport
import Synchronization

/// The readers of outcomes of a client, as long as their sequences live.
final class OutcomeReaders: Sendable {
  private struct Entry {
    weak var reader: OutcomeReader?
  }

  private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

  func add(_ reader: OutcomeReader) {
    entries.withLock { $0[ObjectIdentifier(reader)] = Entry(reader: reader) }
  }

  func remove(_ id: ObjectIdentifier) {
    entries.withLock { $0[id] = nil }
  }

  private var all: [OutcomeReader] { entries.withLock { $0.values.compactMap(\.reader) } }

  var isEmpty: Bool { waitedFor.isEmpty }

  /// The jobs that are asked about for them.
  var waitedFor: Set<JobID> { all.reduce(into: []) { $0.formUnion($1.waitedFor) } }

  /// How long the most impatient of them goes on waiting; nil: none has a limit.
  var timeLeft: Duration? {
    all.compactMap { reader in reader.waitedFor.isEmpty ? nil : reader.deadline.map { $0 - .now } }.min()
  }

  /// `patience`: how long a job may be unknown before that is told.
  func receive(_ document: WaitDocument, patience: (JobID) -> Duration) {
    for reader in all { reader.receive(document, at: .now, patience: patience) }
  }

  /// Ends all present readers with an error.
  func fail(_ error: TellerError) {
    for reader in all { reader.fail(error) }
  }
}

/// The ends of jobs on their way to the reader of one sequence. There is one end of each job, so their number is bounded.
final class OutcomeReader: Sendable {
  private struct State {
    var waited: Set<JobID>
    /// Since when a coordinator that answers has not known a job.
    var unknownSince: [JobID: ContinuousClock.Instant] = [:]
    var ends: Deque<JobEnd> = []
    var error: TellerError?
    /// Fulfilled when there is something new; made by the reader that found nothing.
    var arrival: OneShot<Void>?

    mutating func take(_ end: JobEnd, of job: JobID) {
      if waited.remove(job) != nil { ends.append(end) }
      unknownSince[job] = nil
    }

    mutating func noteUnknown(_ job: JobID, at now: ContinuousClock.Instant, patience: Duration) {
      guard waited.contains(job) else { return }
      let since = unknownSince[job] ?? now
      unknownSince[job] = since
      if now - since >= patience { take(.unknown(job), of: job) }
    }
  }

  let deadline: ContinuousClock.Instant?
  private let limit: Duration?
  private let patience: Duration?
  private let readers: OutcomeReaders
  private let state: Mutex<State>

  /// `patience`: how long a job may be unknown before that is told; nil: as the client's timeouts say.
  init(_ jobs: Set<JobID>, limit: Duration?, patience: Duration?, in readers: OutcomeReaders) {
    self.limit = limit
    self.patience = patience
    self.readers = readers
    deadline = limit.map { .now + $0 }
    state = Mutex(State(waited: jobs))
  }

  deinit { readers.remove(ObjectIdentifier(self)) }

  /// None once the time is over: its sequence may live on.
  var waitedFor: Set<JobID> {
    if let deadline, deadline <= .now { return [] }
    return state.withLock { $0.error == nil ? $0.waited : [] }
  }

  func receive(_ document: WaitDocument, at now: ContinuousClock.Instant, patience usual: (JobID) -> Duration) {
    change { state in
      for job in document.finished { state.take(.ended(job), of: job.id) }
      for id in document.pending { state.unknownSince[id] = nil }
      for id in document.unknown { state.noteUnknown(id, at: now, patience: patience ?? usual(id)) }
    }
  }

  func fail(_ error: TellerError) {
    change { $0.error = $0.error ?? error }
  }

  private func change(_ body: (inout State) -> Void) {
    let arrival = state.withLock { state -> OneShot<Void>? in
      body(&state)
      return state.ends.isEmpty && state.error == nil ? nil : state.arrival.take()
    }
    arrival?.fulfil()
  }

  /// Waits for the next end.
  ///
  /// - Returns: nil when all have come.
  /// - Throws: the error of ``fail(_:)`` once the ends before it are read; `TellerError.timedOut`; `CancellationError`.
  func next() async throws -> JobEnd? {
    while true {
      let (end, arrival) = try state.withLock { state -> (JobEnd?, OneShot<Void>?) in
        if let end = state.ends.popFirst() { return (end, nil) }
        if state.waited.isEmpty { return (nil, nil) }
        if let error = state.error { throw error }
        let arrival = state.arrival ?? OneShot()
        state.arrival = arrival
        return (nil, arrival)
      }
      guard let arrival else { return end }
      try await wait(for: arrival)
    }
  }

  private func wait(for arrival: OneShot<Void>) async throws {
    guard let limit, let deadline else { return try await arrival.value }
    try await within(deadline - .now, orThrow: { self.timedOut(limit) }) { try await arrival.value }
  }

  private func timedOut(_ limit: Duration) -> TellerError {
    let jobs = state.withLock { $0.waited }
    let first = jobs.first.map { "job \($0)" } ?? "a job"
    let others = jobs.count > 1 ? " and \(jobs.count - 1) others" : ""
    return .timedOut(waitingFor: "\(first)\(others) to end", limit: limit)
  }
}
