import ArgumentParser
import Foundation
import JobModel
import Teller

struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Shows a job with its attempts.",
    discussion: """
      Each attempt that has ended is shown with its start, its end, its worker and its error. Each action of an operator is \
      shown with who gave the command, as `teller actions` tells it. Of a job that runs, the last word \
      of its handler on how far it has come is shown, if it has said one. `teller explain` tells why a job waits.

      With --payload only the payload is printed, and with --result only the result, byte for byte. On a terminal hidden \
      characters are shown by their numbers, such as ⟨U+001B⟩. Only an operator may read payloads. A plan has no payload; its steps have. With --result the exit code is 1 when the job failed or was cancelled, \
      and 2 when the job has not ended.

      With --json one object, with the members of `teller jobs --json` and "result" (or "result_base64" when it is no text), \
      "result_content_type", "attempts_made" [{"number", "worker", "started_ms", "ended_ms", "result", "error"}]; while it \
      runs and its handler has said it, "progress" {"fraction", "text", "at_ms"}; of a job that a rule has made, "rule", \
      "rule_event" and "cause"; "led_to" (the jobs that rules have made of what happened to it); "actions" (of operators, as `teller actions --json` \
      prints them).

      EXAMPLES:
        teller show 0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11
        teller show 0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11 --payload > payload.json
      """
  )

  @Argument(help: "The job's id.")
  var job: JobID

  @Flag(help: "Print the payload alone, as it is.")
  var payload = false

  @Flag(help: "Print the result alone, as it is.")
  var result = false

  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    guard [payload, result, answer.json].count(where: { $0 }) <= 1 else {
      throw ValidationError("Give one of --payload, --result and --json.")
    }
  }

  func run() async throws {
    if payload {
      return Output.bytes(try await answer.global.withClient("show") { try await $0.payload(of: job) }.payload)
    }
    if result { return Output.bytes(try await answer.global.withClient("show", resultBytes)) }
    try await answer.show("show", { try await $0.job(job) }) { JobText.lines($0, now: Date()) }
  }

  private func resultBytes(_ client: TellerClient) async throws -> [UInt8] {
    let record = try await client.job(job)
    switch record.outcome {
    case .succeeded(let bytes, _)?: return bytes
    case .failed(let failure)?, .cancelled(let failure)?:
      throw Failure(
        .jobFailed, "job \(job) has no result: it \(record.state == .failed ? "failed" : "was cancelled"): \(failure)")
    case nil: throw Failure(.rejected, "job \(job) has no result yet: it is \(record.state.rawValue)")
    }
  }
}

/// A job for people, a line for each field of its record.
enum JobText {
  static func lines(_ job: JobRecord, now: Date) -> [String] {
    fields(job, now: now).compactMap { name, value in
      value.map { NamedLine.text(name, $0, name == "state" ? job.state.style : nil) }
    }
      + job.attempts.map { NamedLine.text("attempt \($0.number)", attempt($0, now: now)) }
      + (job.actions ?? []).map { NamedLine.text("action", ActionsText.line($0, now: now)) }
  }

  private static func fields(_ job: JobRecord, now: Date) -> [(String, String?)] {
    let moment = { (moment: Date?) in moment.map { Moments.text($0, now: now) } }
    return [
      ("job", job.id.description), ("kind", job.kind.name), ("department", job.department.name),
      ("state", job.state.rawValue), ("hold", job.hold?.rawValue), ("priority", job.priority.description),
      ("attempt", "\(job.attempt) of \(job.maxAttempts)"), ("deaths", job.deaths > 0 ? deaths(job.deaths) : nil),
      ("number", String(job.number)),
      ("plan", job.plan?.description), ("step", job.step),
      ("round", job.round.flatMap { $0 > 1 ? String($0) : nil }), ("rank", job.rank.map(String.init)), ("key", job.key),
      ("rule", rule(job)), ("led to", job.ledTo.map { $0.map(\.description).joined(separator: ", ") }),
      ("again of", job.againOf?.description), ("held until", moment(job.heldUntil)), ("start by", moment(job.startBy)),
      ("timeout", job.timeout.map(\.inWords)),
      ("submitted", moment(job.submitted)), ("accepted", moment(job.accepted)),
      ("released", moment(job.released)), ("started", moment(job.started)), ("finished", moment(job.finished)),
      ("progress", job.progress.map { progress($0, now: now) }),
      ("waited", job.waited.map(\.inWords)), ("ran", job.ran.map(\.inWords)),
      ("result", job.outcome.flatMap(result)), ("error", job.outcome?.failure?.description),
      ("replayed as", job.replayedAs?.description),
      ("dropped", job.isDropped ? "yes: nothing is to be done" : nil),
      ("handled", job.isHandled ? "yes: its plan was ready for the failure" : nil),
    ]
  }

  /// Which rule has made it, and of what.
  private static func rule(_ job: JobRecord) -> String? {
    job.rule.map { "\($0), of event \(job.ruleEvent ?? "")" + (job.cause.map { " of \($0)" } ?? "") }
  }

  private static func progress(_ progress: RunProgress, now: Date) -> String {
    RunProgressText.words(progress) + (progress.at.map { ", said \(Moments.text($0, now: now))" } ?? "")
  }

  private static func deaths(_ count: Int) -> String {
    "\(count) \(count == 1 ? "worker" : "workers") died or \(count == 1 ? "was" : "were") lost while it ran"
  }

  private static func result(_ outcome: Outcome) -> String? {
    guard case .succeeded(let bytes, let contentType) = outcome, !bytes.isEmpty else { return nil }
    let type = contentType.map { " (\($0))" } ?? ""
    guard bytes.count <= longestText, let text = String(validating: bytes, as: UTF8.self) else {
      return "\(bytes.count) bytes, see --result\(type)"
    }
    return text + type
  }

  /// The longest result that is shown among the fields, in bytes.
  private static let longestText = 64 * 1024

  private static func attempt(_ attempt: AttemptRecord, now: Date) -> String {
    let span = attempt.started.map { Moments.between($0, attempt.ended) }
    return [
      attempt.end.rawValue, attempt.started.map { "started \(Moments.text($0, now: now))" },
      "ended \(Moments.text(attempt.ended, now: now))", span.map { "after \($0)" },
      attempt.worker.map { "on \($0)" }, attempt.failure.map { "error \($0)" },
    ].compactMap { $0 }.joined(separator: ", ")
  }
}
