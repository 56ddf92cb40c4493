import Synchronization
import Teller

/// Tells the person who waits for outcomes, once in a command, that a job is held until a plan is open: such a job may
/// wait for as long as nobody starts the plan.
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

  /// Nil: no gate holds the job.
  static func line(_ explanation: JobExplanation) -> String? {
    guard explanation.state == .held, let gate = explanation.reasons.first(where: { $0.hold == .gate }) else {
      return nil
    }
    let way = gate.lifts.map { "; what lifts it: \($0)" } ?? ""
    return "held: job \(explanation.job): \(gate.text)\(way)".onOneLine
  }
}
