import ArgumentParser
import Foundation
import JobModel
import Teller

struct ExplainCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Tells why a job or a plan does not run, and what would change that.",
    discussion: """
      There is a line for each reason, and below it what would change that.

      A job that is held waits for one or several of these:

        schedule     the time that the submitter named
        retry        the pause after a failed attempt
        snooze       the time that its handler named
        restored     an operator: its time came before the ledger was put
                     back, so it may have run: `teller restore`
        paused       the end of its department's pause
        gate         a plan to be open
        window, cap  other jobs of its department to end
        order        the job before it in its department
        after        the jobs that it depends on
        handler      a worker with a handler for its kind
        suspect      jobs that ran when a worker died: they run one by one
        operation    a command that cancels jobs of its department
        department   its department to be named in teller.yaml
        epoch        workers to answer, after the ledger was put back

      A job that is released has one or several of these:

        queue        it stands in its queue, or is in the hand of a worker
        no_teller    nobody serves its department
        claim        the coordinator asks which worker has the job
        running      it runs
        stuck        its handler does not react, or those of all tellers
        handler, paused, suspect, department, operation, epoch   as above

      A job that has ended has "ended". A plan has "step", and the reasons of its next step. \
      An event that has no job yet has "event".

      With --json one object: "job", "state", "kind", "department", "reasons" [{"hold", "text", "lifts", "since_ms", \
      "until_ms", "jobs" (some of the jobs that it waits for), "worker" (the worker that runs it, has taken it ahead, or has all handlers that do not end)}].

      EXAMPLE: teller explain 0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11
      """
  )

  @Argument(help: "The id of the job, the plan or the event.")
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
