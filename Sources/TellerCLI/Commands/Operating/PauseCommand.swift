import ArgumentParser
import Teller

struct PauseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause",
    abstract: "Lets no further job of a department start.",
    discussion: """
      Nothing of it is released, and its workers take nothing from its queue; what runs goes on. It stays paused until \
      `teller resume`, also when coordinator and workers are replaced.

      With --json one object: "department", "paused", "changed" (whether it was otherwise before).

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
