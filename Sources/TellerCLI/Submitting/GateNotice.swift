import Synchronization
import Teller

/// Tells the person who waits for outcomes, once in a command, that a job is held until a plan is open, or waits for one that
/// nobody has submitted: such a job may wait for long.
final class GateNotice: Sendable {
  /// How long a job may take before the coordinator is asked about it.
  static let patience: Duration = .seconds(3)

  private let client: TellerClient
  private let isTold = Mutex(false)

  init(client: TellerClient) { self.client = client }

  /// Looks at the first of these jobs that has not ended by then. The wait for its outcome tells of every other trouble.
  func look(at jobs: [JobHandle<JSONValue>]) async {
    for job in jobs where !isTold.withLock({ $0 }) {
      do {
        _ = try await job.outcome(timeout: GateNotice.patience)
      } catch TellerError.timedOut {
        return await tell(of: job)
      } catch {
        return
      }
    }
  }

  private func tell(of job: JobHandle<JSONValue>) async {
    guard let explanation = try? await client.explain(job.duplicateOf ?? job.id),
      let line = GateNotice.line(explanation)
    else { return }
    let isFirst = isTold.withLock { told in
      defer { told = true }
      return !told
    }
    if isFirst { Output.note(line) }
  }

  /// Nil: nothing of that sort holds the job.
  static func line(_ explanation: JobExplanation) -> String? {
    // Of the jobs that it waits for, only those have a time that were not submitted.
    let reason = explanation.reasons.first { $0.hold == .gate || $0.hold == .after && $0.endsAt != nil }
    guard explanation.state == .held, let reason else { return nil }
    let way = reason.lifts.map { "; what lifts it: \($0)" } ?? ""
    return "held: job \(explanation.job): \(reason.text)\(way)".onOneLine
  }
}
