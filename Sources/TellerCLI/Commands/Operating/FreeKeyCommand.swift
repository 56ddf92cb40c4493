import ArgumentParser
import JobModel
import Teller

struct FreeKeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "free-key",
    abstract: "Frees a key before its window has passed.",
    discussion: """
      After the command, the next submission of that kind with that key is a new job. A job that has the key and has not ended \
      goes on. Cancel that job first when it is not wanted.

      With --json one object: "kind", "key", "changed" (whether the key was taken).

      EXAMPLE: teller free-key invoice 2026-03/A-17
      """
  )

  @Argument(help: "The kind of the jobs that the key is for.")
  var kind: JobKind

  @Argument(help: "The key, 1–\(SubmissionKey.longest) bytes.")
  var key: String

  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    guard (1...SubmissionKey.longest).contains(key.utf8.count) else {
      throw ValidationError("A KEY has 1–\(SubmissionKey.longest) bytes, as it was given to `teller submit --key`.")
    }
  }

  func run() async throws {
    try await answer.show("free-key", { try await $0.freeKey(key, of: kind) }) {
      ["the key is free" + ($0.wasTaken ? "" : ", as before")]
    }
  }
}
