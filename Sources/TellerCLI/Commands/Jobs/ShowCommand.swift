import ArgumentParser
import Foundation
import JobModel
import JobTransport
import Teller

struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Shows a job with its attempts.",
    discussion: """
      Each attempt that has ended with its start, its end, its worker and its error. Why the job is where it is tells \
      `teller explain`.

      With --json one object, with the members of `teller jobs --json` and "result" (or "result_base64" when it is no \
      text), "result_content_type", and "attempts_made": a list of "number", "worker", "started_ms", "ended_ms", \
      "result", "error".

      EXAMPLE: teller show 0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11
      """
  )

  @Argument(help: "The job's id.")
  var job: JobID

  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    try await answer.show("show", { try await $0.ask(.show(job)) }) { JobText.lines($0, now: Date()) }
  }
}

/// A job for people, a line for each field of its record.
enum JobText {
  static func lines(_ job: JobDocument, now: Date) -> [String] {
    fields(job, now: now).compactMap { name, value in value.map { NamedLine.text(name, $0) } }
      + job.attemptsMade.map { NamedLine.text("attempt \($0.number)", attempt($0, now: now)) }
  }

  private static func fields(_ job: JobDocument, now: Date) -> [(String, String?)] {
    let moment = { (time: Timestamp?) in time.map { Moments.text($0.milliseconds, now: now) } }
    return [
      ("job", job.id.description), ("kind", job.kind.name), ("department", job.department.name),
      ("state", job.state.rawValue), ("priority", job.priority.description),
      ("attempt", "\(job.attempt) of \(job.attempts)"), ("deaths", job.deaths.map(deaths)),
      ("number", String(job.number)),
      ("plan", job.plan?.description), ("step", job.step), ("rank", job.rank.map(String.init)), ("key", job.key),
      ("again of", job.againOf?.description), ("held until", moment(job.notBefore)), ("start by", moment(job.startBy)),
      ("run limit", job.timeoutMs.map(Moments.duration)),
      ("submitted", moment(job.submittedAt)), ("accepted", moment(job.acceptedAt)),
      ("released", moment(job.releasedAt)), ("started", moment(job.startedAt)), ("finished", moment(job.finishedAt)),
      ("waited", job.waitMs.map(Moments.duration)), ("ran", job.runMs.map(Moments.duration)),
      ("result", result(job)), ("error", job.error?.description), ("replayed as", job.replayedAs?.description),
      ("dropped", job.dropped == true ? "yes: nothing is to be done" : nil),
    ]
  }

  private static func deaths(_ count: Int) -> String {
    "\(count) \(count == 1 ? "worker" : "workers") died or \(count == 1 ? "was" : "were") lost while it ran"
  }

  private static func result(_ job: JobDocument) -> String? {
    let type = job.resultContentType.map { " (\($0))" } ?? ""
    if let data = job.resultData { return "\(data.count) bytes, see --json\(type)" }
    return job.result.flatMap { $0.isEmpty ? nil : $0 + type }
  }

  private static func attempt(_ attempt: AttemptRecord, now: Date) -> String {
    let span = attempt.startedAt.map { Moments.duration(max(0, attempt.endedAt.milliseconds(since: $0))) }
    return [
      attempt.result, attempt.startedAt.map { "started \(Moments.text($0.milliseconds, now: now))" },
      "ended \(Moments.text(attempt.endedAt.milliseconds, now: now))", span.map { "after \($0)" },
      attempt.worker.map { "on \($0)" }, attempt.failure.map { "error \($0)" },
    ].compactMap { $0 }.joined(separator: ", ")
  }
}
