import ArgumentParser
import Foundation
import Teller

struct KeysShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Shows a key: who has it, since when and until when, who waits, and the outcome.",
    discussion: """
      The job is the last one that had the key, whether the key is still taken or not. The command says so when nobody has \
      used the key, or it was reset since.

      With --json one object: "kind", "key", "taken", "waiting" (how many wait to be told the outcome), and where they are \
      known "job", "state", "since_ms", "until_ms", "while_live" (true: the key is taken exactly until its job ends), \
      "finished_ms", "result" (or "result_base64" when it is no text), "result_content_type", "error".

      EXAMPLE: teller keys show invoice 2026-03/A-17
      """
  )

  @OptionGroup var key: KeyArguments

  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    try await answer.show("keys", { try await $0.key(key.name) }) { KeyText.lines($0, now: Date()) }
  }
}

/// A key for people.
enum KeyText {
  static func lines(_ status: KeyStatus, now: Date) -> [String] {
    let fields: [(String, String?)] = [
      ("kind", status.name.kind.name), ("key", status.name.key), ("taken", taken(status, now: now)),
      ("job", status.job?.description ?? "nobody has used the key, or it was reset since"),
      ("state", status.state?.rawValue), ("since", status.since.map { Moments.text($0, now: now) }),
      ("finished", status.finished.map { Moments.text($0, now: now) }), ("waiting", String(status.waiting)),
      ("result", status.outcome.flatMap(OutcomeText.result)?.shown), ("error", status.outcome?.failure?.description),
    ]
    return fields.compactMap { name, value in
      value.map { NamedLine.text(name, $0, name == "state" ? status.state?.style : nil) }
    }
  }

  private static func taken(_ status: KeyStatus, now: Date) -> String {
    guard status.isTaken else { return "no" }
    guard let until = status.until, until > now else { return "until its job ends" }
    return "until \(Moments.text(until, now: now))" + (status.outcome == nil ? ", and until its job ends" : "")
  }
}
