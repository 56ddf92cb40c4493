import ArgumentParser
import Foundation
import JobModel
import Teller

struct ExplainCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Tells why a job, or a plan, does not run, and what would change that.",
    discussion: """
      A line for each reason, with what would lift it. A held job waits for: schedule (its time), retry (the back-off \
      after an attempt that failed), snooze (its handler has put it off), paused (its department), window or cap \
      (other jobs of its department), order (the job before it), after (jobs it depends on), handler (a worker that \
      has one for its kind), suspect (it was running when workers died, so it waits for other such jobs), operation \
      (a command that cancels its department's jobs), department (which the configuration does not name), epoch (the \
      ledger was rolled back a moment ago). A job that is released: queue (its turn), no_teller (nobody serves its \
      department), claim (who has it is being found out), running, stuck (its handler does not react), and any of \
      handler, paused, suspect, department, operation and epoch that concerns it. One that has ended: ended. A plan: \
      step (the next one), and what holds that.

      With --json one object: "job", "state", "kind", "department", "reasons" [{"hold", "text", "lifts", "since_ms", \
      "until_ms", "jobs" (some of those it waits for)}].

      EXAMPLE: teller explain 0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11
      """
  )

  @Argument(help: "The id of the job, or the plan.")
  var job: JobID

  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    try await answer.show("explain", { try await $0.explain(job) }) { ExplainText.lines($0, now: Date()) }
  }
}

/// The reasons for people: each with its word in front, and its details below.
enum ExplainText {
  static func lines(_ explanation: JobExplanation, now: Date) -> [String] {
    let head = "\(explanation.job) (\(explanation.kind) in \(explanation.department)) \(standing(explanation.state))"
    if explanation.reasons.isEmpty { return [head, NamedLine.text("", "nothing holds it")] }
    return [head] + explanation.reasons.flatMap { lines($0, in: explanation.state, now: now) }
  }

  private static func standing(_ state: JobState) -> String {
    switch state {
    case .held, .queued, .running: "is \(state.rawValue)"
    case .succeeded, .failed: "has \(state.rawValue)"
    case .cancelled: "was \(state.rawValue)"
    }
  }

  private static func lines(_ reason: JobExplanation.Reason, in state: JobState, now: Date) -> [String] {
    let change =
      switch state {
      case .held, .queued: "what lifts it"
      case .running: "what ends it"
      case .succeeded, .failed, .cancelled: "what may be done"
      }
    let jobs = reason.jobs.map { "job \($0)" }
    let details = [
      reason.since.map { "since \(Moments.text($0, now: now))" },
      reason.until.map { "until \(Moments.text($0, now: now))" },
      reason.lifts.map { "\(change): \($0)" },
    ]
    return [NamedLine.text(reason.hold.rawValue, reason.text)]
      + (jobs + details.compactMap { $0 }).map { NamedLine.text("", $0) }
  }
}
