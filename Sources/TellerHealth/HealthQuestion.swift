import JobModel
import Synchronization
import Teller

/// Asks a process for its health, and waits for a limited time. Any number of requests share the one question that is under
/// way, so a process that hangs does not gather questions.
final class HealthQuestion: Sendable {
  /// The question that is under way; its value is the answer.
  private let open = Mutex<OneShot<HealthReport>?>(nil)
  private let report: @Sendable () async -> HealthReport

  init(_ report: @escaping @Sendable () async -> HealthReport) {
    self.report = report
  }

  /// The answer; nil when there is none within the limit. The question may already be under way for another request.
  func answer(within limit: Duration) async -> HealthReport? {
    let question = open.withLock { open in
      if let open { return open }
      let question = OneShot<HealthReport>()
      open = question
      Task { answer(question, await report()) }
      return question
    }
    return try? await within(limit, orThrow: { CancellationError() }) { try await question.value }
  }

  private func answer(_ question: OneShot<HealthReport>, _ report: HealthReport) {
    open.withLock { $0 = nil }
    question.fulfil(.success(report))
  }
}
