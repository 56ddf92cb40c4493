import ArgumentParser
import JobTransport
import Teller

/// `teller resume`: lets a paused department go on.
struct ResumeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume",
    abstract: "Lets a paused department go on.",
    discussion: """
      With --json one object: "department", "paused", "changed" (whether it was otherwise before).

      EXAMPLE: teller resume loan
      """
  )

  @Argument(help: "The department.")
  var department: Department

  @Flag(help: "Print one JSON object.")
  var json = false

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let document = try await global.withClient("resume") { try await $0.resumeDocument(department) }
    if json { try Output.json(document) } else { Output.line(PauseText.line(document)) }
  }
}
