import ArgumentParser
import Teller

/// When a coordinator accepts jobs: the submission waits at the broker until one is there.
struct AcceptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept",
    abstract: "Submits one job, and prints when the broker had it and when it was accepted.",
    discussion: "Two lines: the first one when the broker has it, with the same time twice."
  )

  @OptionGroup var jobs: JobOptions

  func run() async throws {
    try await withClient { client in
      let handle = try await client.submit(jobs.submission(replies: .acceptance))
      let begin = now
      try printLine(Span(begin: begin, end: begin))
      try await handle.accepted()
      try printLine(Span(begin: begin, end: now))
    }
  }
}
