import Foundation
import JobModel
import Ledger

/// A folder with a ledger file of its own, removed with this value.
final class TemporaryLedger: Sendable {
  let folder: URL
  let path: String

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "ledger-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.appending(path: "teller.ledger").path
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func open() throws(LedgerError) -> Ledger { try Ledger(path: path) }

  /// Opens the ledger, hands it over, and closes it.
  @discardableResult
  func with<T>(_ body: (Ledger) async throws -> T) async throws -> T {
    let ledger = try open()
    let result: T
    do { result = try await body(ledger) } catch {
      try ledger.close()
      throw error
    }
    try ledger.close()
    return result
  }
}

extension Timestamp {
  /// A moment of the tests: so many milliseconds after their beginning.
  static func test(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: 1_700_000_000_000 + milliseconds) }
}

extension NewJob {
  /// A held job with what a test does not care about filled in.
  static func held(
    _ id: JobID = JobID(), kind: JobKind = "deposit", in department: Department = "deposits",
    priority: Priority = .normal, payload: [UInt8] = [], order: OrderPlace? = nil, plan: JobID? = nil,
    step: String? = nil, at: Int64 = 0
  ) -> NewJob {
    let job = Job(
      number: 0, id: id, kind: kind, department: department, priority: priority,
      progress: JobProgress(maxAttempts: 3), plan: plan, step: step, round: plan.map { _ in 1 },
      acceptedAt: .test(at))
    return NewJob(job, content: JobContent(payload: payload), order: order)
  }

  /// A job that was released when it was accepted.
  static func queued(
    _ id: JobID = JobID(), kind: JobKind = "deposit", in department: Department = "deposits",
    priority: Priority = .normal, payload: [UInt8] = [], plan: JobID? = nil, at: Int64 = 0
  ) -> NewJob {
    var new = held(id, kind: kind, in: department, priority: priority, payload: payload, plan: plan, at: at)
    _ = new.job.progress.apply(.lifted)
    new.job.releasedAt = .test(at)
    return new
  }
}

extension NewJob {
  var id: JobID { job.id }
  var identity: JobIdentity { job.identity }
}

extension LedgerTransaction {
  /// The jobs that may be released, with all that they carry.
  func held(in department: Department, priority: Priority, limit: Int) throws -> [HeldJob] {
    try ready(in: department, priority: priority, limit: limit).compactMap { try held($0.number) }
  }

  /// Accepts a job that nobody has accepted yet, and returns its number.
  func acceptNew(_ job: NewJob) throws -> Int64 {
    switch try accept(job) {
    case .new(let number): return number
    case .known(let known): throw Unexpected("job \(known.id) was known")
    }
  }

  func acceptNew(_ plan: PlanSubmission, at time: Timestamp = .test(0)) throws -> Int64 {
    switch try accept(plan, at: time) {
    case .new(let number): return number
    case .known(let known): throw Unexpected("plan \(known.id) was known")
    }
  }

  private func identity(of number: Int64) throws -> JobIdentity {
    guard let job = try job(number: number) else { throw Unexpected("there is no job \(number)") }
    return JobIdentity(id: job.id, kind: job.kind, department: job.department)
  }

  /// Ends a queued job as its first attempt's report would. Which job it is can be looked up here.
  @discardableResult
  func end(
    _ number: Int64, _ outcome: Outcome = .succeeded(result: [], contentType: nil), at: Int64 = 100,
    of job: JobIdentity? = nil
  ) throws -> JobModel.Notification {
    let progress = JobProgress(state: outcome.state, attempt: 1, maxAttempts: 3, release: 1, token: 1)
    return try finish(
      number, progress, outcome, startedAt: .test(at - 20), finishedAt: .test(at), ran: .milliseconds(15),
      by: WorkerID("w1"), of: try job ?? identity(of: number))
  }
}

/// What a test did not expect.
struct Unexpected: Error {
  var what: String
  init(_ what: String) { self.what = what }
}

extension LedgerTransaction {
  /// The first job of the group that comes next in an ordered department, if only the order holds it.
  func firstReadyInOrder(of department: Department) throws -> HeldJob? {
    guard let group = try firstGroup(of: department),
      let number = try readyJobs(of: group, in: department, limit: 1).first
    else { return nil }
    return try held(number)
  }
}
