import AuditSupport
import JobModel
import Synchronization
import Teller
import TestSupport

/// Whoever operates the system while it is harmed: departments are paused for a moment and resumed, and what has failed is
/// replayed, by two operators at the same time.
final class Operators: Sendable {
  /// Between two things that they do, and while a department is paused.
  static let pace: Duration = .seconds(2)
  static let pause: Duration = .milliseconds(200)
  /// How long they try to resume what they have paused: also while everything is in trouble.
  static let patience: Duration = .seconds(200)

  private let customers: Customers
  private let departments: [Department]
  private let isStopped = Mutex(false)
  private let running = Mutex<Task<Void, Never>?>(nil)

  /// Operators of these departments, who ask as those customers do.
  init(_ customers: Customers, departments: [Department]) {
    self.customers = customers
    self.departments = departments
  }

  func start() { running.withLock { $0 = Task { await run() } } }

  /// Returns when nothing is paused any more.
  func stop() async {
    isStopped.withLock { $0 = true }
    await running.withLock { $0 }?.value
  }

  /// Like `stop`, without waiting for who does not answer.
  func close() async {
    running.withLock { $0 }?.cancel()
    await stop()
  }

  private func run() async {
    var (number, seen) = (0, 0)
    while !isStopped.withLock({ $0 }), !Task.isCancelled {
      await pauseForAMoment(departments[number % departments.count])
      seen = await replayFailed(since: seen)
      number += 1
      try? await Task.sleep(for: Operators.pace)
    }
  }

  private func pauseForAMoment(_ department: Department) async {
    // It may have been paused although nobody answered.
    _ = try? await customers.any().pause(department)
    try? await Task.sleep(for: Operators.pause)
    try? await eventually("department \(department) is resumed", within: Operators.patience) {
      _ = try await customers.any().resume(department)
      return true
    }
  }

  /// Replays what has failed since the last time, twice.
  private func replayFailed(since first: Int) async -> Int {
    let record = customers.history.record
    let jobs = record.replayable(since: first)
    if !jobs.isEmpty {
      async let one: Void = replay(jobs)
      async let other: Void = replay(jobs)
      _ = await (one, other)
    }
    return record.operations.count
  }

  private func replay(_ jobs: [JobID]) async { _ = try? await customers.any().replay(jobs) }
}
