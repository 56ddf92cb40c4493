import ArgumentParser
import Teller

struct PauseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause",
    abstract: "Stops the start of further jobs of a department.",
    discussion: """
      The coordinator releases no further job of the department, and the workers take no job from its queue. Jobs that run go \
      on. The department stays paused until `teller resume`, also when the coordinator or a worker is replaced.

      With --json one object: "department", "paused", "changed" (whether the command has changed it).

      EXAMPLE: teller pause loan
      """
  )

  @Argument(help: "The department.")
  var department: Department

  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    try await answer.show("pause", { try await $0.pause(department) }) { [PauseText.line($0)] }
  }
}

/// A department that was paused or resumed, for people.
enum PauseText {
  static func line(_ pause: DepartmentPause) -> String {
    let state = pause.isPaused ? "is paused" : "goes on"
    return "department \(pause.department) \(state)" + (pause.isNew ? "" : ", as before")
  }
}
