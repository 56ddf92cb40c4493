import ArgumentParser
import JobModel
import Teller

struct KeysFreeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "free",
    abstract: "Frees a key before its window has passed.",
    discussion: """
      After the command, the next submission of that kind with that key is a new job. A job that has the key and has not ended \
      goes on, and its outcome is kept until that submission. `teller keys reset` cancels the job, too.

      With --json one object: "kind", "key", "changed" (whether the key was taken).

      EXAMPLE: teller keys free invoice 2026-03/A-17
      """
  )

  @OptionGroup var key: KeyArguments

  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    try await answer.show("keys", { try await $0.freeKey(key.name) }) {
      ["the key is free" + ($0.wasTaken ? "" : ", as before")]
    }
  }
}
