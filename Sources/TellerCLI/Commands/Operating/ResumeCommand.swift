import ArgumentParser
import Teller

struct ResumeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume",
    abstract: "Lets the jobs of a paused department start again.",
    discussion: """
      With --json one object: "department", "paused", "changed" (whether the command has changed it).

      EXAMPLE: teller resume loan
      """
  )

  @Argument(help: "The department.")
  var department: Department

  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    try await answer.show("resume", { try await $0.resume(department) }) { [PauseText.line($0)] }
  }
}
